package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/jsontree"
	"github.com/loopx-dev/loopx-policy/engine/facts/safefile"
	"github.com/loopx-dev/loopx-policy/engine/store/jsonedit"
)

// overrides are attention fields that somebody set in the shared registry alone (state-files.md 1.4).
var overrides = []string{"waiting_on", "attention_status", "operator_question", "recommended_action", "next_handoff_condition"}

const clearOverride = "clear_attention_override"

// routeFields may not change behind a goal's back.
var routeFields = []string{"source_registry", "repo", "state_file"}

// authorityFields are the counts that a projection shows of the authority registry. Its paths and entries stay at home.
var authorityFields = []struct{ key, missing string }{
	{"declared", "false"}, {"required", "false"}, {"path", "null"}, {"path_exists", "null"}, {"read_status", "null"},
	{"default_entry_count", "0"}, {"default_entries_checked", "0"}, {"default_entries_present", "0"},
	{"topic_authority_count", "0"}, {"project_material_count", "0"}, {"project_material_repository_count", "0"},
	{"project_material_owner_review_required_count", "0"}, {"project_material_stale_count", "0"},
	{"project_material_current_authority_count", "0"}, {"deprecated_source_count", "0"}, {"conflict_risk", `"unknown"`},
}

// syncGlobal brings the row of the shared registry up to its source and puts the outcome into the receipt. The source is read
// under the lock of the shared registry, so of two writers the later one has the newer row.
func (t *tx) syncGlobal(ctx context.Context, receipt Receipt) {
	written, err := t.sync(ctx)
	if receipt == nil {
		return
	}
	outcome := map[string]any{"ok": err == nil, "written": written}
	if err != nil {
		outcome["error"] = bare(err)
	}
	receipt.add("global_sync", outcome)
}

// bare is an error without the path that the system adds, which may be private.
func bare(err error) string {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return filepath.Base(path.Path) + ": " + path.Err.Error()
	case errors.As(err, &link):
		return filepath.Base(link.New) + ": " + link.Err.Error()
	default:
		return err.Error()
	}
}

func (t *tx) sync(ctx context.Context) (written bool, err error) {
	source, global := t.targets.SourceRegistry, t.targets.GlobalRegistry
	if source == "" {
		return false, errors.New(t.sourceProblem())
	}
	if resolved(source) == resolved(global) {
		return false, nil // there is one registry, and it is its own projection
	}
	if err := t.disk.mkdirs("global registry", filepath.Dir(global), newDir); err != nil {
		return false, err
	}
	l := locker{disk: t.disk, operation: t.options.Operation, agent: t.targets.AgentID, patience: min(sidePatience, t.store.patience), released: t.store.released}
	lock, _, err := l.take(ctx, "global registry lock", global)
	if err != nil {
		return false, err
	}
	defer lock.release()
	data, err := safefile.Read(source, maxRegistryBytes)
	if err != nil {
		return false, facts.ReadError("source registry", err)
	}
	root, err := jsontree.Parse(data)
	if err != nil {
		return false, fmt.Errorf("source registry: %w", err)
	}
	row, _ := rowOf(root, t.targets.GoalID)
	if row == nil {
		return false, errors.New("the source registry does not list the goal")
	}
	path := resolved(global)
	old, mode := []byte(nil), newFile
	if old, err = safefile.Read(path, maxRegistryBytes); errors.Is(err, fs.ErrNotExist) {
		old, err = t.newGlobal()
	} else if err == nil {
		if info, err := os.Stat(path); err == nil {
			mode = info.Mode().Perm()
		}
	}
	if err != nil {
		return false, facts.ReadError("global registry", err)
	}
	if err := mayReplace(path, mode); err != nil {
		return false, err
	}
	next, err := t.project(old, data, row)
	if err != nil {
		return false, err
	}
	err = t.disk.replace("global registry", path, next, mode)
	return err == nil, err
}

func (t *tx) newGlobal() ([]byte, error) {
	root, err := json.Marshal(t.targets.RuntimeRoot)
	if err != nil {
		return nil, err
	}
	return jsonedit.Pretty(fmt.Appendf(nil,
		`{"schema_version":"0.1","updated_at":%q,"common_runtime_root":%s,"registry_role":"global-local","goals":[]}`,
		local(t.options.Now), root))
}

// project puts the public form of a source row into the shared registry. Rows of other goals keep their bytes.
func (t *tx) project(global, source []byte, row *jsontree.Node) ([]byte, error) {
	root, err := jsontree.Parse(global)
	if err != nil {
		return nil, fmt.Errorf("global registry: %w", err)
	}
	goals := root.Get("goals")
	if goals != nil && goals.Kind != jsontree.Array {
		return nil, errors.New("global registry: goals is no list")
	}
	old, at := rowOf(root, t.targets.GoalID)
	if changed := collision(old, row, t.targets.SourceRegistry); len(changed) > 0 {
		return nil, fmt.Errorf("global route collision for goal_id %s: %s would change", t.targets.GoalID, strings.Join(changed, ", "))
	}
	next, err := t.projection(source, row, old)
	if err != nil {
		return nil, err
	}
	if at >= 0 {
		global = jsonedit.RemoveItem(global, goals, at) // an updated row moves to the end
	}
	if global, err = withRow(global, t.targets.GoalID, next); err != nil {
		return nil, err
	}
	return touch(global, local(t.options.Now))
}

// collision names the route fields of an existing row that a sync would change.
func collision(old, row *jsontree.Node, source string) (fields []string) {
	for _, field := range routeFields {
		now := row.Str(field)
		if field == "source_registry" {
			now = source
		}
		if was := old.Str(field); was != "" && was != now {
			fields = append(fields, field)
		}
	}
	return fields
}

// projection is the row as the shared registry shows it.
func (t *tx) projection(source []byte, row, old *jsontree.Node) (json.RawMessage, error) {
	var out bytes.Buffer
	put := func(key string, value []byte) {
		name, _ := json.Marshal(key) // a string can always be encoded
		if out.Len() > 0 {
			out.WriteByte(',')
		}
		out.Write(name)
		out.WriteByte(':')
		out.Write(value)
	}
	foreign := old.Str("source_registry") != t.targets.SourceRegistry
	cleared := row.Get(clearOverride) != nil || !foreign || old == nil
	for i := range row.Members {
		switch m := &row.Members[i]; {
		case m.Duplicate:
			return nil, jsonedit.ErrDuplicate
		case m.Key == "authority_sources" || m.Key == "authority_registry" || m.Key == clearOverride:
		case m.Key == "source_registry" || m.Key == "synced_at" || m.Key == "authority_source_count":
		case !cleared && slices.Contains(overrides, m.Key) && old.Get(m.Key) != nil:
		default:
			put(m.Key, source[m.Value.Start:m.Value.End])
		}
	}
	for _, key := range overrides {
		if value := old.Get(key); value != nil && !cleared {
			put(key, must(json.Marshal(value.Any())))
		}
	}
	put("source_registry", must(json.Marshal(t.targets.SourceRegistry)))
	put("synced_at", must(json.Marshal(local(t.options.Now))))
	count := 0
	if sources := row.Get("authority_sources"); sources != nil {
		count = len(sources.Items)
	}
	put("authority_source_count", must(json.Marshal(count)))
	put("authority_registry", authority(source, row.Get("authority_registry")))
	return slices.Concat([]byte("{"), out.Bytes(), []byte("}")), nil
}

// authority keeps numbers, flags and words of the authority registry.
func authority(source []byte, n *jsontree.Node) []byte {
	var out []string
	for _, field := range authorityFields {
		value := field.missing
		if have := n.Get(field.key); have != nil && have.Kind < jsontree.Array && field.key != "path" {
			value = string(source[have.Start:have.End])
		}
		out = append(out, fmt.Sprintf("%q:%s", field.key, value))
	}
	return []byte("{" + strings.Join(out, ",") + "}")
}

// must is for values that can always be encoded.
func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}
