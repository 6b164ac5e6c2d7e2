// What tools/check-deploy.sh asks of Go's libraries: `dockerfile FILE` (BuildKit's own parser and linter), `compose FILE` (Compose's own
// loader, with the environment), `kubernetes FILE` (every object decoded strictly into the API's own types). Ends with 1 when something is wrong.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/client-go/kubernetes/scheme"
	gateway "sigs.k8s.io/gateway-api/apis/v1"
)

func main() {
	check := map[string]func(string) (string, error){"dockerfile": dockerfile, "compose": compose, "kubernetes": kubernetes}[os.Args[1]]
	said, err := check(os.Args[2])
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %s\n", os.Args[2], err)
		os.Exit(1)
	}
	fmt.Printf("%s: %s\n", os.Args[2], said)
}

func dockerfile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	tree, err := parser.Parse(file)
	if err != nil {
		return "", err
	}
	remarks := ""
	for _, warning := range tree.Warnings {
		remarks += "\n  " + warning.Short
	}
	stages, _, err := instructions.Parse(tree.AST, linter.New(&linter.Config{
		Warn: func(rule, description, url, message string, places []parser.Range) {
			remarks += fmt.Sprintf("\n  %v %s: %s", places, rule, message)
		},
	}))
	if err == nil && remarks != "" {
		err = fmt.Errorf("BuildKit remarks:%s", remarks)
	}
	return fmt.Sprintf("%d stages, no remarks of BuildKit", len(stages)), err
}

func compose(path string) (string, error) {
	options, err := cli.NewProjectOptions([]string{path}, cli.WithOsEnv)
	if err != nil {
		return "", err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Compose loads it: %v", project.ServiceNames()), nil
}

func kubernetes(path string) (string, error) {
	if err := gateway.Install(scheme.Scheme); err != nil {
		return "", err
	}
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, json.SerializerOptions{Yaml: true, Strict: true})
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	found := 0
	for _, document := range bytes.Split(text, []byte("\n---\n")) {
		if len(bytes.TrimSpace(document)) == 0 {
			continue
		}
		object, kind, err := strict.Decode(document, nil, nil)
		if err != nil {
			return "", fmt.Errorf("%v: %w", kind, err)
		}
		if _, isUnknown := object.(*runtime.Unknown); isUnknown {
			return "", fmt.Errorf("%v is not known", kind)
		}
		found++
	}
	if found == 0 {
		return "", fmt.Errorf("it has no objects")
	}
	return fmt.Sprintf("%d objects, each decoded strictly", found), nil
}
