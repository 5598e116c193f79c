package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// page prints the objects of one request, for those who turn the pages themselves.
func (s *session) page(ctx context.Context, t *target, out *output, o rest.ListOptions) error {
	path, err := t.location()
	if err != nil {
		return err
	}
	response, err := s.client.Do(ctx, rest.Request{Path: path, Query: o.Query()})
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if err := response.ExpectMediaType("application/json"); err != nil {
		return err
	}
	l := lister{session: s, target: t, out: out}
	decoder := watchdecoder.NewListDecoder(response.Body, watchdecoder.Options{})
	for {
		item, err := decoder.Next()
		switch {
		case err == io.EOF:
			l.tellPage(decoder.Meta())
			return l.end()
		case watchdecoder.IsRecoverable(err):
			frame, _ := errors.AsType[*watchdecoder.FrameError](err) // which is what can be recoverable
			l.problem(frame.Key, err)
			continue
		case err != nil:
			return err
		}
		if err := l.item(s.listItem(t, response.Conn, item)); err != nil {
			return err
		}
	}
}

func (s *session) listItem(t *target, conn uint64, i *watchdecoder.Item) *event {
	return &event{
		time: time.Now(), kind: typeAdded, resource: t.label, typeName: t.typeName(), key: i.Identity.Key(), uid: string(i.Identity.UID), version: string(i.Identity.ResourceVersion),
		apiVersion: string(i.Identity.APIVersion), objectKind: string(i.Identity.Kind), object: i.Object, conn: conn, offset: i.Offset,
		chunks: s.chunks.of(conn, i.Offset, len(i.Object)),
	}
}

func (l *lister) tellPage(meta watchdecoder.ListMeta) {
	l.say("%s at version %s", count(l.objects, "object"), dash(meta.ResourceVersion))
	switch {
	case meta.Continue == "":
	case meta.RemainingItemCount >= 0:
		l.say("about %d more: --continue %s", meta.RemainingItemCount, meta.Continue)
	default:
		l.say("there are more: --continue %s", meta.Continue)
	}
}
