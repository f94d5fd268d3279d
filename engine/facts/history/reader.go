package history

import (
	"cmp"
	"errors"
	"hash/maphash"
	"io"
	"io/fs"
	"path/filepath"
	"sync"

	"github.com/loopx-dev/loopx-policy/engine/facts"
	"github.com/loopx-dev/loopx-policy/engine/facts/safefile"
)

// Reader reads the run indexes of many goals under the same settings. It may be used from several goroutines at once.
type Reader struct {
	settings Settings
	classes  map[string]traits
	outcomes map[string]traits
	seed     maphash.Seed
	free     sync.Pool // of *walk, for their buffers
}

// NewReader makes a reader. Settings that cannot be used are found out by Read.
func NewReader(settings Settings) *Reader {
	return &Reader{settings: settings, classes: classBits(&settings), outcomes: outcomeBits(&settings), seed: maphash.MakeSeed()}
}

// Read reads the run index in dir, a goal's runs directory, under the reader's settings. A goal without one has an empty
// history. It never writes. An error names the file; damaged lines are findings instead.
func (r *Reader) Read(dir string, options Options) (*Result, error) {
	options.Settings = r.settings
	bounds, err := options.bounds()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, indexName)
	file, err := safefile.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return empty(), nil
	}
	if err != nil {
		return nil, facts.ReadError(path, err)
	}
	defer file.Close()
	if !file.Regular {
		return nil, facts.ReadError(path, errors.New("is not a regular file"))
	}
	result, err := r.index(file, file.Size, path, &options, bounds)
	if err != nil {
		return nil, facts.ReadError(path, err)
	}
	return result, nil
}

func (r *Reader) index(src io.ReaderAt, size int64, path string, options *Options, b bounds) (*Result, error) {
	options.keep = cmp.Or(options.keep, keepRows)
	w, _ := r.free.Get().(*walk)
	if w == nil {
		w = &walk{}
	}
	w.reset(src, size)
	w.options, w.bounds = options, b
	w.known = known{options: options, classes: r.classes, outcomes: r.outcomes, prefixes: r.settings.DecisionPrefixes, seed: r.seed}
	defer r.release(w)
	v, err := w.run(options.block)
	if err != nil {
		return nil, err
	}
	a := answer{walk: w, view: v, result: empty()}
	for _, part := range []func() error{a.ledger, a.runs, a.status, a.decisions} {
		if err := part(); err != nil {
			return nil, err
		}
	}
	a.count()
	a.result.Findings, err = w.findings(path)
	return a.result, err
}

// The sizes up to which buffers are kept for the next index.
const (
	spareBytes = 512 << 10
	spareMarks = 8192
	spareRuns  = 512
)

func (r *Reader) release(w *walk) {
	bytes := cap(w.lines.buf) + cap(w.one.text) + cap(w.folder.rows[0].text) + cap(w.folder.rows[1].text)
	if bytes <= spareBytes && cap(w.marks)+cap(w.keep.ledger) <= spareMarks && cap(w.folder.out) <= spareRuns {
		r.free.Put(w)
	}
}
