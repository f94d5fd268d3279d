// Package safefile reads small files of a project: regular ones only, up to a size, without ever waiting on a pipe
// or a device that stands where a file should be.
package safefile

import (
	"errors"
	"fmt"
)

var (
	// ErrTooLarge says that the file is larger than the caller's cap.
	ErrTooLarge = errors.New("file is too large")
	// ErrNotRegular says that the path is a directory, a pipe or a device.
	ErrNotRegular = errors.New("not a regular file")
)

// Read returns the bytes of a regular file of at most limit bytes. Symbolic links are followed.
func Read(path string, limit int64) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if !file.Regular {
		return nil, fmt.Errorf("%w", ErrNotRegular)
	}
	if file.Size > limit {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, file.Size, limit)
	}
	data, err := file.Append(make([]byte, 0, file.Size+512), limit)
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%w: grew past %d bytes while it was read", ErrTooLarge, limit)
	}
	return data, nil
}
