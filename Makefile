# make demo    one decision on the sample project
# make test    everything that must hold
# make bench   the budgets, measured on this machine
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory

GO ?= go
OPA := $(GO) tool opa
BIN := bin/loopx

# What draws and simulates runs in full without the race detector and in a short form with it (race_test.go in the package).
DRAWN := Simulation|Property|Drawn|WaitPolicy

# Properties draw from a fixed seed, so that a run says the same twice; RAPID_SEED=0 explores.
export RAPID_SEED ?= 20260820

.PHONY: simulate prove help build demo test ci fmt generate generated lint rules go-test readme bench mutate fuzz regal clean

help: ## the targets and what they do
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

build: ## the binary, bin/loopx
	@$(GO) build -trimpath -o $(BIN) ./cmd/loopx

demo: build ## should-run on a copy of the sample project, as Markdown and as JSON
	@./fixtures/demo.sh $(BIN)

test: lint generated rules simulate go-test readme ## everything
	@echo "all checks passed"

ci: test ## what CI runs

fmt: ## format Go and Rego
	@gofmt -w cmd connectors engine fixtures internal policy schemas
	@$(OPA) fmt -w policy

generate: ## rewrite generated files
	@$(GO) generate ./...

generated: ## generated files are what their sources say
	@$(GO) run ./internal/tools/drift

lint: ## gofmt, vet, staticcheck
	@test -z "$$(gofmt -l cmd connectors engine fixtures internal policy schemas | tee /dev/stderr)"
	@$(GO) vet ./...
	@$(GO) tool staticcheck ./...

rules: ## format, types, tests, coverage and conventions of the bundle, with stock opa
	@$(OPA) fmt --diff --fail policy
	@$(OPA) check --strict --schema schemas --capabilities policy/capabilities.json policy
	@mkdir -p .cache
	@$(OPA) test --timeout 300s --coverage --format json policy > .cache/coverage.json || $(OPA) test --timeout 300s policy
	@$(GO) run ./internal/tools/covergate < .cache/coverage.json
	@$(GO) run ./internal/tools/conventions policy
	@$(OPA) eval -b policy -f raw 'count(data.loopx.settings) > 0' | grep -qx true

go-test: ## Go tests with the race detector, the cases through the real binary included
	@$(GO) test -race -count=1 -timeout 40m ./...

simulate: ## ten thousand polls of simulated hosts, the properties of drawn projects, OPA's conformance cases
	@$(GO) test -count=1 -timeout 15m -run '$(DRAWN)' ./engine/decide -args -rapid.checks=50
	@$(GO) test -count=1 -timeout 15m ./engine/vm

prove: ## the long forms of the store's proofs: every recovery, and sixteen writers with two hundred commands each (minutes)
	@LOOPX_STORE_LONG=1 LOOPX_STORE_RACE=200 $(GO) test -count=1 -timeout 40m ./engine/store/...

readme: ## the commands that README shows work
	@$(MAKE) demo > /dev/null

mutate: ## drop and negate every table row: the rule tests must notice at least 95 % (minutes)
	@$(GO) run ./internal/tools/mutate -least 95 -allow docs/mutation.md policy

bench: build ## cold start, long histories, a thousand goals, warm decisions
	@$(GO) run ./cmd/loopx-bench $(BIN)
	@$(GO) test -run '^$$' -bench . -benchmem ./engine/decide ./engine/facts/...

fuzz: ## each fuzz target for FUZZTIME (default 30s)
	@for target in $$(grep -rlE '^func Fuzz' --include=*_test.go engine | xargs -n1 dirname | sort -u); do \
		for name in $$(grep -hoE '^func Fuzz[A-Za-z]+' $$target/*_test.go | sed 's/func //'); do \
			$(GO) test ./$$target -run '^$$' -fuzz "^$$name\$$" -fuzztime $${FUZZTIME:-30s}; \
		done; \
	done

regal: ## lint the rules with Regal, a module of its own
	@cd internal/tools/regal && $(GO) run . lint ../../../policy

clean: ## remove what was built
	@rm -rf bin .cache
