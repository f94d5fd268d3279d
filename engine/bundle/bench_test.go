package bundle

import "testing"

// BenchmarkLoad shows what each lever of a cold start is worth.
func BenchmarkLoad(b *testing.B) {
	for _, c := range []struct {
		name string
		opts Options
	}{
		{"default", Options{}},
		{"every check", Options{Check: true}},
		{"with collector", Options{measure: measure{keepGC: true}}},
		{"parse on one core", Options{measure: measure{serial: true}}},
		{"from source", Options{measure: measure{source: true}}},
		{"from source, every compile stage", Options{measure: measure{source: true, stages: true}}},
		{"from source, every compile stage, with collector", Options{measure: measure{source: true, stages: true, keepGC: true}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Load(c.opts); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
