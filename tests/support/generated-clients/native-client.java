/** Searches with the client of an API that OpenAPI Generator made with the library `native`. */
import works.ApiClient;
import works.api.SearchApi;

public class NativeClient {
    public static void main(String[] arguments) throws Exception {
        var client = new ApiClient();
        client.setRequestInterceptor(
            request -> request.header("Authorization", "Bearer " + System.getenv("ACCESS_TOKEN")));
        var page = new SearchApi(client)
            .searchArtistFilterOldestResults("girl", "Vermeer", null, 10, null, null, null, null, null, null);
        for (var item : page.getItems())
            System.out.println(item.getRank() + " " + item.getTuple().get(0).getAttributes().getTitle().asText());
    }
}
