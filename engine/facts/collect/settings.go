package collect

import (
	"fmt"
	"sync"

	"github.com/loopx-dev/loopx-policy/engine/facts/history"
	"github.com/loopx-dev/loopx-policy/engine/facts/scheduler"
	"github.com/loopx-dev/loopx-policy/engine/safety"
)

// Settings are the parts of the bundle's settings that say what is read.
type Settings struct {
	History history.Settings
	// Release is the classification of the release ledger's rows.
	Release  string
	Surfaces []scheduler.Surface
	// WindowHours is the quota window of a goal that sets none.
	WindowHours int64
	// Private names the classes of private text in a text. Nil finds none.
	Private func(text string) ([]string, error)
}

// DecodeSettings reads them with a function that fills a value from one settings topic.
func DecodeSettings(decode func(topic string, out any) error) (Settings, error) {
	var s Settings
	var release struct {
		Release string `json:"release"`
	}
	var surfaces struct {
		Surfaces []scheduler.Surface `json:"surfaces"`
	}
	var share struct {
		Defaults struct {
			WindowHours int64 `json:"window_hours"`
		} `json:"defaults"`
	}
	for _, part := range []struct {
		topic string
		out   any
	}{
		{"history", &s.History}, {"history", &release}, {"scheduler", &surfaces}, {"share", &share},
	} {
		if err := decode(part.topic, part.out); err != nil {
			return s, fmt.Errorf("settings that the collector needs: %w", err)
		}
	}
	s.Release, s.Surfaces, s.WindowHours = release.Release, surfaces.Surfaces, share.Defaults.WindowHours
	if s.WindowHours < 1 {
		return s, fmt.Errorf("settings.share.defaults.window_hours is %d, want at least 1", s.WindowHours)
	}
	s.Private = private(decode)
	return s, nil
}

// private makes the detector when the first text is there to be looked at, which is seldom.
func private(decode func(topic string, out any) error) func(text string) ([]string, error) {
	detector := sync.OnceValues(func() (*safety.Detector, error) {
		var settings safety.Settings
		if err := decode(safety.Topic, &settings); err != nil {
			return nil, err
		}
		return safety.New(settings, safety.ProfileEvent)
	})
	return func(text string) ([]string, error) {
		d, err := detector()
		if err != nil {
			return nil, err
		}
		return classes(d, text), nil
	}
}

// classes names what a detector finds in a text.
func classes(detector *safety.Detector, text string) []string {
	if detector.TooLong(text) {
		return []string{"too_long"}
	}
	var out []string
	for _, hit := range detector.Text(text) {
		out = append(out, hit.Class)
	}
	return out
}
