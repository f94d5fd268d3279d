package history

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/safefile"
)

// maxArtifact is how large a run's JSON artifact may be.
const maxArtifact = 4 << 20

// event is what the ledger needs of a quota event (4.6, 4.7).
type event struct {
	slots  int64
	run    string
	voided string
}

// event gives the quota event of a spend or void row: inlined in the row, else from the row's JSON artifact.
func (o *Options) event(r *row) (event, error) {
	if raw := r.cells[keyQuotaEvent]; !absent(raw) {
		return r.event(raw)
	}
	path := r.string(keyJSONPath)
	if path == "" {
		return event{}, errors.New("has no quota_event and no json_path")
	}
	data, err := o.artifact(path)
	if err != nil {
		return event{}, fmt.Errorf("has no quota_event and its JSON artifact cannot be read: %w", facts.BareCause(err))
	}
	var c cells
	if _, fault := object(data, artifactKey, &c); fault != sound {
		return event{}, fmt.Errorf("has no quota_event and its JSON artifact %s", faultText[fault])
	}
	if absent(c[keyQuotaEvent]) {
		return event{}, errors.New("has no quota_event, in the row or in its JSON artifact")
	}
	return readEvent(c[keyQuotaEvent])
}

// event reads the inlined quota event. Spends of one turn often have the same.
func (r *row) event(raw []byte) (event, error) {
	if r.kept == nil || len(raw) > keptBytes {
		return readEvent(raw)
	}
	k := &r.kept.event
	if len(k.raw) > 0 && string(k.raw) == string(raw) {
		return k.event, nil
	}
	e, err := readEvent(raw)
	if err == nil {
		k.raw, k.event = append(k.raw[:0], raw...), e
	}
	return e, err
}

func readEvent(raw []byte) (event, error) {
	var c cells
	if _, fault := object(raw, eventKey, &c); fault != sound {
		return event{}, fmt.Errorf("has a quota_event that %s", faultText[fault])
	}
	slots, err := integer(c[eventSlots])
	if err != nil {
		return event{}, err
	}
	run, _ := str(c[eventRun])
	voided, _ := str(c[eventVoided])
	return event{slots: slots, run: string(run), voided: string(voided)}, nil
}

// integer reads slots: a JSON number without a fraction.
func integer(raw []byte) (int64, error) {
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return n, nil
	}
	const exact = 1 << 53
	if f, err := strconv.ParseFloat(string(raw), 64); err == nil && f == float64(int64(f)) && f > -exact && f < exact {
		return int64(f), nil
	}
	if len(raw) == 0 {
		return 0, errors.New("has a quota_event without slots")
	}
	return 0, fmt.Errorf("has a quota_event whose slots are no whole number: %.40s", raw)
}

// paths gives the places where an artifact may be, in the order in which they are tried.
func (o *Options) paths(path string) []string {
	if filepath.IsAbs(path) || o.ProjectRoot == "" {
		return []string{path}
	}
	return []string{filepath.Join(o.ProjectRoot, path), path}
}

func (o *Options) artifact(path string) ([]byte, error) {
	var first error
	for _, place := range o.paths(path) {
		data, err := safefile.Read(place, maxArtifact)
		if err == nil {
			return data, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

func (o *Options) exists(path string) bool {
	if path == "" {
		return false
	}
	for _, place := range o.paths(path) {
		if _, err := os.Stat(place); err == nil {
			return true
		}
	}
	return false
}
