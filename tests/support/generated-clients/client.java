/** Calls a server with two clients that OpenAPI Generator made: `works` for an API, `manage` for the management API. */
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import manage.api.MembersApi;
import manage.api.SystemToSystemAccountsApi;
import manage.model.CreateSystemToSystemInput;
import manage.model.Member;
import manage.model.MemberList;
import works.api.SearchApi;

public class Client {
    static String fetchToken(String id, String secret) throws Exception {
        var form = "grant_type=client_credentials&client_id=" + id + "&client_secret=" + secret;
        var request = HttpRequest.newBuilder(URI.create(System.getenv("AUTH_URL") + "/oauth/token"))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(form)).build();
        var reply = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
        return reply.replaceAll(".*\"access_token\":\"([^\"]*)\".*", "$1");
    }

    static void printAccounts(MemberList members) {
        System.out.println(members.getItems().stream()
            .filter(member -> member.getKind() == Member.KindEnum.SYSTEM_TO_SYSTEM)
            .map(member -> "'" + member.getName() + "'").sorted().toList());
    }

    public static void main(String[] arguments) throws Exception {
        var management = new manage.ApiClient();
        management.setBearerToken(System.getenv("MANAGE_TOKEN"));
        var accounts = new SystemToSystemAccountsApi(management);
        var input = new CreateSystemToSystemInput().name("generated")
            .addRolesItem(CreateSystemToSystemInput.RolesEnum.API);
        var account = accounts.createSystemToSystem("museum", input);
        printAccounts(new MembersApi(management).listMembers("museum", null, 100, null));

        var client = new works.ApiClient();
        client.setAccessToken(fetchToken(account.getClientId(), account.getClientSecret()));
        var page = new SearchApi(client)
            .searchArtistFilterOldestResults("girl", "Vermeer", null, 10, null, null, null, null, null, null);
        for (var item : page.getItems())
            System.out.println(item.getRank() + " " + item.getTuple().get(0).getAttributes().getTitle().getString());

        accounts.removeSystemToSystem("museum", account.getClientId());
        printAccounts(new MembersApi(management).listMembers("museum", null, null, null));
    }
}
