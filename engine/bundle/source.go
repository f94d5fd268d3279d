package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
)

// Limits of a bundle from outside. They stop a mistake, such as --policy /, long before memory does.
const (
	maxFiles     = 2000
	maxEntries   = 50000
	maxFileBytes = 1 << 20
	maxBytes     = 16 << 20
	maxUnpacked  = 4 * maxBytes
)

// file is one module, data document or manifest of a bundle.
type file struct {
	path string // slash path inside the bundle
	name string // how messages name it
	data []byte
}

// wanted tells whether a bundle path is part of the bundle: rules without their tests, data documents, the manifest.
func wanted(p string) bool {
	base := path.Base(p)
	switch base {
	case "data.yaml", "data.yml", "data.json":
		return true
	case ".manifest":
		return p == base
	}
	return strings.HasSuffix(base, ".rego") && !strings.HasSuffix(base, "_test.rego")
}

// readFS reads a bundle from a file system. A hidden directory is not entered, so that a mounted Kubernetes
// ConfigMap and a checkout with .git both work.
func readFS(fsys fs.FS, display func(string) string) ([]file, error) {
	var files []file
	total, entries := 0, 0
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return sourceError(display(p), err, "cannot be read")
		}
		if entries++; entries > maxEntries {
			return sourceError(display("."), nil, "more than %d directory entries; is this a policy directory?", maxEntries)
		}
		if d.IsDir() {
			if p != "." && strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		}
		if !wanted(p) {
			return nil
		}
		if !d.Type().IsRegular() && d.Type()&fs.ModeSymlink == 0 {
			return sourceError(display(p), nil, "is not a regular file")
		}
		data, err := readOne(fsys, p, display)
		if err != nil {
			return err
		}
		if total += len(data); total > maxBytes {
			return sourceError(display("."), nil, "more than %d bytes of rules and data", maxBytes)
		}
		files = append(files, file{path: p, name: display(p), data: data})
		if len(files) > maxFiles {
			return sourceError(display("."), nil, "more than %d files", maxFiles)
		}
		return nil
	})
	return files, err
}

func readOne(fsys fs.FS, p string, display func(string) string) ([]byte, error) {
	f, err := fsys.Open(p)
	if err != nil {
		return nil, sourceError(display(p), err, "cannot be opened")
	}
	defer f.Close() //nolint:errcheck // read only
	info, err := f.Stat()
	if err != nil {
		return nil, sourceError(display(p), err, "cannot be read")
	}
	if !info.Mode().IsRegular() {
		return nil, sourceError(display(p), nil, "is not a regular file")
	}
	return readLimited(f, info.Size(), display(p))
}

// readLimited reads a file of about a size.
func readLimited(r io.Reader, size int64, name string) ([]byte, error) {
	// One byte more than there is, so that the end is noticed without growing.
	buffer := bytes.NewBuffer(make([]byte, 0, max(0, min(size, maxFileBytes))+bytes.MinRead))
	if _, err := buffer.ReadFrom(io.LimitReader(r, maxFileBytes+1)); err != nil {
		return nil, sourceError(name, err, "cannot be read")
	}
	data := buffer.Bytes()
	if len(data) > maxFileBytes {
		return nil, sourceError(name, nil, "larger than %d bytes", maxFileBytes)
	}
	return data, nil
}

// readPath reads a bundle from a directory or a tar.gz archive.
func readPath(name string) ([]file, error) {
	if scheme, _, ok := strings.Cut(name, "://"); ok {
		return nil, sourceError("", nil, "remote bundles (%s://) are not supported by this version; download it and pass the file", scheme)
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, sourceError(name, unwrapPath(err), "cannot be opened")
	}
	if info.IsDir() {
		return readDir(name)
	}
	if !info.Mode().IsRegular() {
		return nil, sourceError(name, nil, "is neither a directory nor a tar.gz archive")
	}
	return readTar(name)
}

// readDir reads below name and never outside of it: os.Root refuses a symbolic link that leaves.
func readDir(name string) ([]file, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, sourceError(name, unwrapPath(err), "cannot be opened")
	}
	defer root.Close() //nolint:errcheck // read only
	return readFS(root.FS(), func(p string) string { return filepath.Join(name, filepath.FromSlash(p)) })
}

func readTar(name string) ([]file, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, sourceError(name, unwrapPath(err), "cannot be opened")
	}
	defer f.Close() //nolint:errcheck // read only
	unzip, err := gzip.NewReader(f)
	if err != nil {
		return nil, sourceError(name, err, "is not a tar.gz archive")
	}
	archive := tar.NewReader(io.LimitReader(unzip, maxUnpacked))
	var files []file
	seen := map[string]bool{}
	total := 0
	for entries := 0; ; entries++ {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, sourceError(name, err, "is not a tar.gz archive")
		}
		if entries > maxEntries {
			return nil, sourceError(name, nil, "more than %d entries", maxEntries)
		}
		p := strings.TrimPrefix(strings.TrimPrefix(header.Name, "/"), "./")
		display := name + "/" + p
		if !fs.ValidPath(strings.TrimSuffix(p, "/")) && p != "" {
			return nil, sourceError(name, nil, "entry %q leaves the bundle", header.Name)
		}
		switch header.Typeflag {
		case tar.TypeDir, tar.TypeXGlobalHeader:
			continue
		case tar.TypeReg:
		default:
			return nil, sourceError(name, nil, "entry %q is not a regular file", header.Name)
		}
		if !wanted(p) {
			continue
		}
		if seen[p] {
			return nil, sourceError(name, nil, "entry %q is there twice", header.Name)
		}
		seen[p] = true
		data, err := readLimited(archive, header.Size, display)
		if err != nil {
			return nil, err
		}
		if total += len(data); total > maxBytes {
			return nil, sourceError(name, nil, "more than %d bytes of rules and data", maxBytes)
		}
		files = append(files, file{path: p, name: display, data: data})
		if len(files) > maxFiles {
			return nil, sourceError(name, nil, "more than %d files", maxFiles)
		}
	}
	sort.Slice(files, func(i, j int) bool { return files[i].path < files[j].path })
	return files, nil
}

// unwrapPath drops the path that os repeats in its errors.
func unwrapPath(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return fmt.Errorf("%w", err)
}
