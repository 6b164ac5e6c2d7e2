// Calls a server with two clients that OpenAPI Generator made: works for an API, manage for the management API.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"sort"
	"strings"

	"example.org/app/manage"
	"example.org/app/works"
	"golang.org/x/oauth2"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func fetchToken(id, secret string) string {
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {id}, "client_secret": {secret}}
	reply, err := http.PostForm(os.Getenv("AUTH_URL")+"/oauth/token", form)
	check(err)
	defer reply.Body.Close()
	var body struct {
		AccessToken string `json:"access_token"`
	}
	check(json.NewDecoder(reply.Body).Decode(&body))
	return body.AccessToken
}

func printAccounts(members *manage.MemberList) {
	names := []string{}
	for _, member := range members.Items {
		if member.Kind == "system-to-system" {
			names = append(names, "'"+member.Name+"'")
		}
	}
	sort.Strings(names)
	fmt.Println("[" + strings.Join(names, ", ") + "]")
}

func main() {
	management := manage.NewAPIClient(manage.NewConfiguration())
	ctx := context.WithValue(context.Background(), manage.ContextAccessToken, os.Getenv("MANAGE_TOKEN"))
	input := manage.NewCreateSystemToSystemInput("generated", []string{"api"})
	accounts := management.SystemToSystemAccountsAPI
	account, _, err := accounts.CreateSystemToSystem(ctx, "museum").CreateSystemToSystemInput(*input).Execute()
	check(err)
	members, _, err := management.MembersAPI.ListMembers(ctx, "museum").Count(100).Execute()
	check(err)
	printAccounts(members)

	token := fetchToken(account.ClientId, account.GetClientSecret())
	api := works.NewAPIClient(works.NewConfiguration())
	source := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: token})
	apiCtx := context.WithValue(context.Background(), works.ContextOAuth2, source)
	page, _, err := api.SearchAPI.SearchArtistFilterOldestResults(apiCtx, "girl", "Vermeer").Count(10).Execute()
	check(err)
	for _, item := range page.Items {
		title := item.Tuple[0].Attributes.GetTitle()
		fmt.Println(item.Rank, *title.String)
	}

	_, err = accounts.RemoveSystemToSystem(ctx, "museum", account.ClientId).Execute()
	check(err)
	members, _, err = management.MembersAPI.ListMembers(ctx, "museum").Execute()
	check(err)
	printAccounts(members)
}
