package casetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Case is one case file.
type Case struct {
	ID             string                     `json:"id"`
	Title          string                     `json:"title"`
	Area           string                     `json:"area"`
	Now            time.Time                  `json:"now"`
	Files          map[string]json.RawMessage `json:"files"`
	Steps          []Step                     `json:"steps"`
	FilesAfter     map[string]FileRule        `json:"files_after"`
	SeedSays       map[string]any             `json:"seed_says"`
	SeedStep       *int                       `json:"seed_step"`
	SeedFilesAfter map[string]FileRule        `json:"seed_files_after"`
}

// Step is a command, an advance of the clock or a write of files.
type Step struct {
	Args           []any                      `json:"args"`
	Exit           any                        `json:"exit"`
	Expect         map[string]any             `json:"expect"`
	Absent         []string                   `json:"absent"`
	StdoutContains []string                   `json:"stdout_contains"`
	Capture        map[string]string          `json:"capture"`
	AdvanceMinutes float64                    `json:"advance_minutes"`
	Write          map[string]json.RawMessage `json:"write"`
}

// FileRule is what must hold of a file afterwards.
type FileRule struct {
	Absent      bool           `json:"absent"`
	Contains    oneOrMany      `json:"contains"`
	NotContains oneOrMany      `json:"not_contains"`
	JSON        map[string]any `json:"json"`
	AnyJSON     map[string]any `json:"any_json"`
	CountWhere  counts         `json:"jsonl_count_where"`
}

type oneOrMany []string

func (o *oneOrMany) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*o = oneOrMany{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(o))
}

type count struct {
	Where map[string]any `json:"where"`
	Count int            `json:"count"`
}

type counts []count

func (c *counts) UnmarshalJSON(data []byte) error {
	var one count
	if json.Unmarshal(data, &one) == nil {
		*c = counts{one}
		return nil
	}
	return json.Unmarshal(data, (*[]count)(c))
}

// Load reads one case file.
func Load(path string) (*Case, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var c Case
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &c, nil
}

// content turns a file entry into bytes; a nil result means that the file is to be deleted.
func content(raw json.RawMessage) (data []byte, mode os.FileMode, err error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []byte(text), 0o644, nil
	}
	var special struct {
		JSONL  []json.RawMessage `json:"$jsonl"`
		Exec   string            `json:"$exec"`
		Delete bool              `json:"$delete"`
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&special) == nil && !bytes.Equal(bytes.TrimSpace(raw), []byte("{}")) {
		switch {
		case special.Delete:
			return nil, 0, nil
		case special.Exec != "":
			return []byte(special.Exec), 0o755, nil
		}
		var out bytes.Buffer
		for _, row := range special.JSONL {
			if err := json.Compact(&out, row); err != nil {
				return nil, 0, err
			}
			out.WriteByte('\n')
		}
		return append([]byte{}, out.Bytes()...), 0o644, nil
	}
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		return nil, 0, err
	}
	out.WriteByte('\n')
	return out.Bytes(), 0o644, nil
}

// Write puts files of a case below a directory.
func Write(root string, files map[string]json.RawMessage) error { return write(root, files) }

func write(root string, files map[string]json.RawMessage) error {
	for name, raw := range files {
		if !filepath.IsLocal(name) {
			return fmt.Errorf("path leaves the case directory: %s", name)
		}
		data, mode, err := content(raw)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		path := filepath.Join(root, name)
		if data == nil {
			if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
				return err
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, mode); err != nil {
			return err
		}
	}
	return nil
}
