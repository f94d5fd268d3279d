package main

import (
	"sync"

	"github.com/loopx-dev/loopx-policy/engine/bundle"
	"github.com/loopx-dev/loopx-policy/engine/decide"
	"github.com/loopx-dev/loopx-policy/engine/facts/collect"
	"github.com/loopx-dev/loopx-policy/engine/facts/registry"
	"github.com/loopx-dev/loopx-policy/engine/safety"
	"github.com/loopx-dev/loopx-policy/engine/store"
)

// open finds and reads the registry that the command line and the environment name.
func (g *globals) open() (registry.Route, *registry.File, error) {
	return registry.Open(registry.Options{
		Registry: g.registry, RuntimeRoot: g.runtimeRoot, Home: g.env.home, Dir: g.env.dir, Env: g.env.getenv, SetUp: g.setUp,
	})
}

// engine joins the bundle and the facts of this project.
func (g *globals) engine() (*decide.Engine, error) {
	b, err := bundle.Load(g.bundleOptions())
	if err != nil {
		return nil, err
	}
	settings, err := collect.DecodeSettings(b.DecodeSettings)
	if err != nil {
		return nil, err
	}
	route, file, err := g.open()
	if err != nil {
		return nil, err
	}
	found, err := g.scanned(b, route)
	if err != nil {
		return nil, err
	}
	collector := collect.New(route, file, settings).WithEnv(g.env.getenv).WithFindings(found)
	engine, err := decide.New(b, collector, g.verbose)
	if err != nil {
		return nil, err
	}
	return engine.WithStore(store.New().WithPrivacy(publicEvents(b)), func() (decide.Collector, error) { return collector.Again() }), nil
}

// publicEvents refuses private text in events. The detector is made when the first event is written.
func publicEvents(b *bundle.Bundle) func(any) error {
	detector := sync.OnceValues(func() (*safety.Detector, error) {
		var settings safety.Settings
		if err := b.DecodeSettings(safety.Topic, &settings); err != nil {
			return nil, err
		}
		return safety.New(settings, safety.ProfileEvent)
	})
	return func(event any) error {
		d, err := detector()
		if err != nil {
			return err
		}
		return d.Refuse(event)
	}
}
