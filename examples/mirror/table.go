package main

import (
	"context"
	"database/sql"

	_ "modernc.org/sqlite"

	"github.com/rawwatch/rawwatch/informer"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

const schema = `CREATE TABLE IF NOT EXISTS objects (
	namespace TEXT NOT NULL,
	name      TEXT NOT NULL,
	uid       TEXT NOT NULL,
	version   TEXT NOT NULL,
	object    TEXT NOT NULL,
	PRIMARY KEY (namespace, name)
) WITHOUT ROWID`

// What has been written is recognized by key, UID and version, so every statement may be repeated.
const (
	upsert = `INSERT INTO objects VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE
		SET uid = excluded.uid, version = excluded.version, object = excluded.object
		WHERE uid <> excluded.uid OR version <> excluded.version`
	remove = `DELETE FROM objects WHERE namespace = ?1 AND name = ?2 AND uid = ?3`
)

// table is where the objects go.
type table struct{ db *sql.DB }

func open(ctx context.Context, path string) (*table, error) {
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(WAL)&_pragma=busy_timeout(5000)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // SQLite has one writer
	if _, err := db.ExecContext(ctx, schema); err != nil {
		db.Close()
		return nil, err
	}
	return &table{db}, nil
}

// write applies events in one transaction: all of them, or none.
func (t *table) write(ctx context.Context, events []informer.Event[watchdecoder.Raw]) error {
	tx, err := t.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, e := range events {
		if e.Kind == informer.Deleted {
			_, err = tx.ExecContext(ctx, remove, e.Key.Namespace, e.Key.Name, e.UID)
		} else {
			_, err = tx.ExecContext(ctx, upsert, e.Key.Namespace, e.Key.Name, e.UID, e.ResourceVersion, string(e.New))
		}
		if err != nil {
			return err
		}
	}
	return tx.Commit()
}

// prune deletes the rows of objects for which there is no answer: they were deleted while nobody watched. An object that
// comes back meanwhile has another UID, so its row is safe.
func (t *table) prune(ctx context.Context, there func(informer.Key) bool) (int, error) {
	rows, err := t.db.QueryContext(ctx, `SELECT namespace, name, uid FROM objects`)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	type row struct {
		key informer.Key
		uid string
	}
	var gone []row
	for rows.Next() {
		var r row
		if err := rows.Scan(&r.key.Namespace, &r.key.Name, &r.uid); err != nil {
			return 0, err
		}
		if !there(r.key) {
			gone = append(gone, r)
		}
	}
	if err := rows.Err(); err != nil {
		return 0, err
	}
	for _, r := range gone {
		if _, err := t.db.ExecContext(ctx, remove, r.key.Namespace, r.key.Name, r.uid); err != nil {
			return 0, err
		}
	}
	return len(gone), nil
}
