package mention

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

const block = 1 << 20

// MaxLine is how long a line may be. A longer one is passed over.
const MaxLine = 4 << 20

// Lines calls visit for each line of a file that holds one of the texts, in file order, once per line. A file that does not
// exist has no lines. A last line without a line end is given like any other. The line is valid until visit returns.
func Lines(path string, texts [][]byte, visit func(line []byte)) error {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return facts.ReadError(path, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("is not a regular file")
	}
	if err == nil {
		err = lines(file, texts, visit)
	}
	if err != nil {
		return facts.ReadError(path, err)
	}
	return nil
}

func lines(src io.Reader, texts [][]byte, visit func(line []byte)) error {
	var buf []byte // starts at the beginning of a line
	skip := false  // of a line that is too long
	for {
		have := len(buf)
		buf = append(buf, make([]byte, block)...)
		n, err := io.ReadFull(src, buf[have:])
		buf = buf[:have+n]
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return err
		}
		whole := bytes.LastIndexByte(buf, '\n') + 1
		if last {
			whole = len(buf)
		}
		ready := buf[:whole]
		if skip && whole > 0 {
			_, ready, _ = bytes.Cut(ready, []byte{'\n'})
			skip = false
		}
		search(ready, texts, visit)
		if last {
			return nil
		}
		buf = append(buf[:0], buf[whole:]...)
		if len(buf) > MaxLine {
			buf, skip = buf[:0], true
		}
	}
}

// search visits the lines of a text that hold one of the texts.
func search(text []byte, texts [][]byte, visit func(line []byte)) {
	for len(text) > 0 {
		first := -1
		for _, want := range texts {
			if at := bytes.Index(text, want); at >= 0 && (first < 0 || at < first) {
				first = at
			}
		}
		if first < 0 {
			return
		}
		start := bytes.LastIndexByte(text[:first], '\n') + 1
		end := len(text)
		if at := bytes.IndexByte(text[first:], '\n'); at >= 0 {
			end = first + at
		}
		if end-start <= MaxLine {
			visit(text[start:end])
		}
		text = text[min(end+1, len(text)):]
	}
}
