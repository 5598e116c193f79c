package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Backup stops both servers, copies etcd's data into a folder of the cluster
// and starts them again. It returns what Restore needs.
func (c *Cluster) Backup(ctx context.Context) (backup string, err error) {
	backup = filepath.Join(c.dir, fmt.Sprintf("backup-%d", time.Now().UnixNano()))
	return backup, c.whileStopped(ctx, func() error {
		return os.CopyFS(backup, os.DirFS(c.files.etcdData))
	})
}

// Restore puts etcd's data back to a backup, as an operator would after a
// disaster: versions go back and are used a second time.
func (c *Cluster) Restore(ctx context.Context, backup string) error {
	return c.whileStopped(ctx, func() error {
		return errors.Join(os.RemoveAll(c.files.etcdData), os.CopyFS(c.files.etcdData, os.DirFS(backup)))
	})
}

func (c *Cluster) whileStopped(ctx context.Context, do func() error) error {
	// etcd may keep its last writes in memory: it is asked to stop.
	if err := errors.Join(c.apiServer.stop(syscall.SIGKILL), c.etcd.stop(syscall.SIGTERM)); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	var err error
	if c.etcd, err = startProcess(c.binaries.Etcd, c.etcdArgs(), c.files.etcdLog); err != nil {
		return err
	}
	return c.StartAPIServer(ctx)
}
