// Package safefile reads small files of a project: regular ones only, up to a size, without ever waiting on a pipe
// or a device that stands where a file should be.
package safefile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

var (
	// ErrTooLarge says that the file is larger than the caller's cap.
	ErrTooLarge = errors.New("file is too large")
	// ErrNotRegular says that the path is a directory, a pipe or a device.
	ErrNotRegular = errors.New("not a regular file")
)

// Read returns the bytes of a regular file of at most limit bytes. Symbolic links are followed.
func Read(path string, limit int64) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w", ErrNotRegular)
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, info.Size(), limit)
	}
	data := make([]byte, 0, info.Size()+512)
	for {
		n, err := file.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if int64(len(data)) > limit {
			return nil, fmt.Errorf("%w: grew past %d bytes while it was read", ErrTooLarge, limit)
		}
		if errors.Is(err, io.EOF) {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}
