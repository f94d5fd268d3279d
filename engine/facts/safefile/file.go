package safefile

import (
	"errors"
	"io"
	"io/fs"
	"syscall"
)

// File is an open file that is only read, once and by one goroutine. It leaves out what os.File has for pipes and
// sockets, which costs more than reading a small file.
type File struct {
	// Size, Regular and Dir are as of when it was opened.
	Size    int64
	Regular bool
	Dir     bool

	path string
	fd   int
}

// Open opens a file without waiting on a pipe or a device. It is to be closed, unless there is an error, which is an
// *fs.PathError.
func Open(path string) (*File, error) {
	fd, err := again(func() (int, error) {
		return syscall.Open(path, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	var stat syscall.Stat_t
	if _, err := again(func() (int, error) { return 0, syscall.Fstat(fd, &stat) }); err != nil {
		_ = syscall.Close(fd)
		return nil, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	kind := stat.Mode & syscall.S_IFMT
	return &File{
		Size: stat.Size, Regular: kind == syscall.S_IFREG, Dir: kind == syscall.S_IFDIR, path: path, fd: fd,
	}, nil
}

// ReadAt is that of io.ReaderAt.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	done := 0
	for done < len(p) {
		n, err := again(func() (int, error) { return syscall.Pread(f.fd, p[done:], off+int64(done)) })
		if err != nil {
			return done, &fs.PathError{Op: "read", Path: f.path, Err: err}
		}
		if n == 0 {
			return done, io.EOF
		}
		done += n
	}
	return done, nil
}

// Append appends the bytes of the file to data, but no more than limit and one. What a writer adds meanwhile may be among
// them. A buffer with more room than the file has bytes is read into with one call.
func (f *File) Append(data []byte, limit int64) ([]byte, error) {
	start := len(data)
	for {
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		have := int64(len(data) - start)
		room := min(int64(cap(data)-len(data)), limit+1-have)
		if room == 0 {
			return data, nil
		}
		free := data[len(data) : len(data)+int(room)]
		n, err := again(func() (int, error) { return syscall.Pread(f.fd, free, have) })
		if err != nil {
			return data, &fs.PathError{Op: "read", Path: f.path, Err: err}
		}
		data = data[:len(data)+n]
		if n == 0 || n < len(free) && f.Size > 0 && have+int64(n) >= f.Size { // a short read is the end, once all bytes are there
			return data, nil
		}
	}
}

// Close closes the file.
func (f *File) Close() error {
	fd := f.fd
	f.fd = -1 // the number may soon be another file's
	if err := syscall.Close(fd); err != nil {
		return &fs.PathError{Op: "close", Path: f.path, Err: err}
	}
	return nil
}

// again repeats a call that a signal interrupted.
func again(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if !errors.Is(err, syscall.EINTR) {
			return n, err
		}
	}
}
