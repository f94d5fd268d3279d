package safety

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf16"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

// Codes of the findings of a scan.
const (
	CodePrivate    = "public_safety_private_text"
	CodeUnreadable = "public_safety_unreadable"
	CodeIncomplete = "public_safety_incomplete"
	scanRule       = "safety.union"
	scope          = "global"
)

// sniffBytes is how much of a file is looked at to tell a binary one.
const sniffBytes = 8000

// Files say what is scanned. Without a root and without paths nothing is.
type Files struct {
	// Root is the directory that Paths are in; alone it is scanned itself. Default: each path is a root of its own.
	Root  string
	Paths []string
	// Open makes a path readable, e.g. by joining it to a working directory. Default: as it is.
	Open func(path string) string
}

// Asked tells that there is something to scan.
func (f Files) Asked() bool { return f.Root != "" || len(f.Paths) > 0 }

// Scan reads every text file below the paths and gives a global finding for each line and class of private text, and for
// each path that could not be read. Findings name files as they were given. Binary files are skipped; links are followed
// to files and directories of the root and nowhere else.
func (d *Detector) Scan(f Files) []facts.Finding {
	open := f.Open
	if open == nil {
		open = func(path string) string { return path }
	}
	s := &scanner{detector: d}
	paths := f.Paths
	if f.Root != "" && len(paths) == 0 {
		paths = []string{"."}
	}
	for _, path := range paths {
		if s.full() {
			break
		}
		s.start(f.Root, path, open)
	}
	slices.SortFunc(s.findings, func(a, b facts.Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(s.findings, func(a, b facts.Finding) bool {
		return a.File == b.File && a.Line == b.Line && a.Code == b.Code && a.Message == b.Message
	})
}

type scanner struct {
	detector *Detector
	root     *os.Root
	shown    string // the root as given
	entries  int
	stopped  bool
	findings []facts.Finding
}

func (s *scanner) full() bool { return s.stopped }

func (s *scanner) add(code, file string, line int, message string) {
	if len(s.findings) == s.detector.limits.Findings {
		s.stop(file, fmt.Sprintf("the scan stopped at %d findings; the rest was not looked at", len(s.findings)))
	}
	if !s.stopped {
		s.findings = append(s.findings, facts.Finding{
			Code: code, Scope: scope, File: file, Line: line, Rule: scanRule, Message: message,
		})
	}
}

// stop ends the scan with a last finding, so that an incomplete scan is never taken for a clean one.
func (s *scanner) stop(file, message string) {
	if !s.stopped {
		s.stopped = true
		s.findings = append(s.findings, facts.Finding{
			Code: CodeIncomplete, Scope: scope, File: file, Rule: scanRule, Message: message,
		})
	}
}

func (s *scanner) unreadable(file string, err error) {
	s.add(CodeUnreadable, file, 0, "cannot be scanned for private text: "+facts.BareCause(err).Error())
}

// start scans one path as the caller gave it.
func (s *scanner) start(root, path string, open func(string) string) {
	base, name, shown := root, path, path
	if path == "" {
		s.add(CodeUnreadable, path, 0, "cannot be scanned for private text: the path is empty")
		return
	}
	if root == "" {
		base, name = path, "."
		if info, err := os.Stat(open(path)); err == nil && !info.IsDir() {
			base, name = filepath.Dir(path), filepath.Base(path)
		}
	} else {
		if filepath.IsAbs(path) {
			if rel, err := filepath.Rel(open(root), path); err == nil {
				name = rel
			}
		} else {
			shown = filepath.Join(root, path)
		}
		if !filepath.IsLocal(name) {
			s.add(CodeUnreadable, shown, 0, "cannot be scanned for private text: it is not below the scan root")
			return
		}
	}
	handle, err := os.OpenRoot(open(base))
	if err != nil {
		s.unreadable(base, err)
		return
	}
	defer handle.Close() //nolint:errcheck // nothing was written
	s.root, s.shown = handle, base
	info, err := handle.Stat(name)
	if err != nil {
		s.unreadable(shown, err)
		return
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		s.unreadable(shown, errors.New("not a regular file"))
		return
	}
	s.entry(name, info, nil)
}

func (s *scanner) display(name string) string { return filepath.Join(s.shown, name) }

// entry scans a file or directory; above are the directories that lead to it.
func (s *scanner) entry(name string, info fs.FileInfo, above []fs.FileInfo) {
	switch {
	case info.Mode().IsRegular():
		s.file(name)
	case !info.IsDir():
	case slices.ContainsFunc(above, func(other fs.FileInfo) bool { return os.SameFile(info, other) }): // a loop of links
	case len(above) >= s.detector.limits.Depth:
		s.add(CodeIncomplete, s.display(name), 0, fmt.Sprintf("is nested deeper than %d directories and was not scanned", len(above)))
	default:
		s.directory(name, append(slices.Clip(above), info))
	}
}

func (s *scanner) directory(name string, above []fs.FileInfo) {
	dir, err := s.root.Open(name)
	if err != nil {
		s.unreadable(s.display(name), err)
		return
	}
	entries, err := dir.ReadDir(-1)
	_ = dir.Close() // nothing was written
	if err != nil {
		s.unreadable(s.display(name), err)
		return
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		if s.full() {
			return
		}
		if s.entries++; s.entries > s.detector.limits.Entries {
			s.stop(s.display(name), fmt.Sprintf("the scan stopped after %d files and directories; the rest was not looked at", s.detector.limits.Entries))
			return
		}
		if e.IsDir() && slices.Contains(s.detector.skip, e.Name()) {
			continue
		}
		child := filepath.Join(name, e.Name())
		info, err := s.root.Stat(child)
		if err != nil {
			if e.Type()&fs.ModeSymlink == 0 { // a link that leads out of the root or nowhere is not below it
				s.unreadable(s.display(child), err)
			}
			continue
		}
		s.entry(child, info, above)
	}
}

func (s *scanner) file(name string) {
	text, binary, err := s.read(name)
	switch {
	case err != nil:
		s.unreadable(s.display(name), err)
	case !binary:
		for _, hit := range s.detector.Text(text) {
			s.add(CodePrivate, s.display(name), hit.Line, "private text of class "+hit.Class)
		}
	}
}

var errTooLarge = errors.New("file is too large")

// read gives a file as UTF-8 text, or says that it is binary.
func (s *scanner) read(name string) (text string, binary bool, err error) {
	file, err := s.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", false, err
	}
	defer file.Close() //nolint:errcheck // nothing was written
	limit := s.detector.limits.FileBytes
	head, err := io.ReadAll(io.LimitReader(file, min(sniffBytes, limit+1)))
	if err != nil {
		return "", false, err
	}
	wide := bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xfe, 0xff})
	if !wide && bytes.IndexByte(head, 0) >= 0 {
		return "", true, nil
	}
	rest, err := io.ReadAll(io.LimitReader(file, limit+1-int64(len(head))))
	if err != nil {
		return "", false, err
	}
	data := append(head, rest...)
	if int64(len(data)) > limit {
		return "", false, fmt.Errorf("%w: at most %d bytes", errTooLarge, limit)
	}
	if wide {
		return decodeWide(data), false, nil
	}
	return string(data), false, nil
}

// decodeWide reads UTF-16 with a byte order mark.
func decodeWide(data []byte) string {
	var order binary.ByteOrder = binary.LittleEndian
	if data[0] == 0xfe {
		order = binary.BigEndian
	}
	units := make([]uint16, 0, len(data)/2)
	for i := 2; i+1 < len(data); i += 2 {
		units = append(units, order.Uint16(data[i:]))
	}
	return string(utf16.Decode(units))
}
