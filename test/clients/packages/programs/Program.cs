// What the tests run of the C# client: single calls, or a backend's day.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Net.Http;
using System.Text;
using System.Threading.Tasks;
using Peyk;

internal static class Program
{
    private static string Env(string name) => Environment.GetEnvironmentVariable(name) ?? "";

    private static PeykClient ClientAt(string url, string apiKey, string token, double seconds) =>
        new PeykClient(
            url, apiKey, token, TimeSpan.FromSeconds(seconds), int.Parse(Env("RETRIES"), CultureInfo.InvariantCulture));

    private static IDictionary<string, object> Fields(string text) => (IDictionary<string, object>)Json.Parse(text);

    private static IEnumerable<KeyValuePair<string, string>> Headers() =>
        Fields(Env("HEADERS")).Select(each => new KeyValuePair<string, string>(each.Key, (string)each.Value));

    private static JsonObject Webhook(string payload, string secret) =>
        Webhooks.Verify(Encoding.UTF8.GetBytes(payload), Headers(), secret);

    /// <summary>What a call returned, as JSON.</summary>
    private static async Task<object> ResultOf(IList<object> call)
    {
        Func<int, string> text = at => call[at] as string;
        var name = text(0);
        var seconds = double.Parse(Env("TIMEOUT"), CultureInfo.InvariantCulture);
        if (name == "webhook") return Webhook(Env("PAYLOAD"), text(1));
        using (var client = ClientAt(
            name == "at" ? text(1) : Env("PEYK_URL"),
            name == "revokeWith" ? text(1) : "svc_live_key",
            name == "revokeWith" ? text(2) : "svc_pat_token",
            name == "withTimeout" ? Convert.ToDouble(call[1], CultureInfo.InvariantCulture) : seconds))
            switch (name)
            {
                case "send":
                    var codes = text(1) == "sandbox" ? client.Sandbox : client.Otp;
                    return await codes.SendAsync(new OtpSendRequest { Phone = "09121234567" }, text(2));
                case "status":
                    return await client.Otp.StatusAsync(text(1));
                case "next":
                    return await client.Otp.NextAsync(text(1), new OtpNextRequest(Fields(text(2))));
                case "preview":
                    return await client.Otp.PreviewAsync(new OtpSendRequest { Phone = text(1), Channels = text(2) });
                case "lookup":
                    return await client.Phones.LookupAsync(text(1));
                case "update":
                    var change = new Dictionary<string, object> { ["id"] = 7, ["name"] = "a" };
                    return await client.Manage.CallAsync("api-keys.update", change, ifMatch: (long)call[1]);
                case "revoke":
                    var id = new Dictionary<string, object>();
                    if (call[1] != null) id["id"] = call[1];
                    return await client.Manage.CallAsync("api-keys.revoke", id);
                case "revokeWith":
                    return await client.Manage.CallAsync("api-keys.revoke", new Dictionary<string, object> { ["id"] = 7 });
                case "manage":
                    var fields = Fields(text(2));
                    var version = fields.ContainsKey("if_match") ? (long?)fields["if_match"] : null;
                    fields.Remove("if_match");
                    return await client.Manage.CallAsync(text(1), fields, ifMatch: version);
                case "connectWithNaN":
                    var settings = new Dictionary<string, object> { ["a"] = double.NaN };
                    return await client.Manage.CallAsync(
                        "accounts.connect", new Dictionary<string, object> { ["settings"] = settings });
                default:
                    return await client.AccountAsync();
            }
    }

    private static async Task MakeCalls()
    {
        foreach (string text in (List<object>)Json.Parse(Env("CALLS")))
            try
            {
                Console.WriteLine(Json.Write(await ResultOf((List<object>)Json.Parse(text))));
            }
            catch (PeykException error)
            {
                Console.WriteLine(error.Code + " " + error.Status);
            }
            catch (ArgumentException error)
            {
                Console.WriteLine("refused: " + error.Message);
            }
            catch (Exception error)
            {
                Console.WriteLine(error.GetType().Name);
            }
    }

    private static async Task<string> CodeOf(string url, string phone)
    {
        using (var http = new HttpClient())
        {
            var shown = await http.GetStringAsync(url + "/simulator/messages?phone=%2B98" + phone.Substring(1));
            var all = ((List<object>)Fields(shown)["data"]).Cast<IDictionary<string, object>>();
            return all.Select(each => each["code"] as string).First(code => !string.IsNullOrEmpty(code));
        }
    }

    private static async Task DoWhatABackendNeeds()
    {
        var url = Env("PEYK_URL");
        var phone = Env("PHONE");
        var live = new PeykClient(url, Env("LIVE_KEY"), Env("TOKEN"));
        var sent = await live.Otp.SendAsync(new OtpSendRequest { Phone = phone, Channels = new[] { "bale", "sms" } });
        Console.WriteLine((await live.Otp.VerifyAsync(sent.VerificationId, await CodeOf(url, phone))).Reason);
        Console.WriteLine((await live.Otp.StatusAsync(sent.VerificationId)).Status);
        var test = new PeykClient(url, Env("TEST_KEY"));
        Console.WriteLine((await test.Sandbox.SendAsync(new OtpSendRequest { Phone = phone })).Status);
        var metadata = new Dictionary<string, object> { ["order"] = "7" };
        var message = await live.Messages.SendAsync(
            new MessageSendRequest { To = phone, Message = "سلام", Channels = "bale", Metadata = metadata });
        var query = new MessageListQuery { To = phone, Limit = 1, Metadata = metadata };
        await live.Messages.EachAsync(query, each =>
        {
            if (each.MessageId == message.MessageId) Console.WriteLine("[True]");
            return Task.CompletedTask;
        });
        var fields = new Dictionary<string, object> { ["name"] = "made by C#", ["mode"] = "live" };
        var key = await live.Manage.CallAsync("api-keys.create", fields);
        var change = new Dictionary<string, object> { ["id"] = key["id"], ["name"] = "renamed" };
        await live.Manage.CallAsync("api-keys.update", change, ifMatch: (long)key["version"]);
        var id = new Dictionary<string, object> { ["id"] = key["id"] };
        var read = await live.Manage.CallAsync("api-keys.read", id);
        var revoked = await live.Manage.CallAsync("api-keys.revoke", id);
        Console.WriteLine(read["name"] + " " + (revoked == null ? "None" : revoked.ToString()));
        try
        {
            await live.Otp.SendAsync(new OtpSendRequest { Phone = "1" });
        }
        catch (PeykException error)
        {
            Console.WriteLine(error.Code + " " + error.Status + " " + !string.IsNullOrEmpty(error.RequestId));
        }
        try
        {
            await new PeykClient("http://127.0.0.1:9", retries: 0).Otp.StatusAsync("v");
        }
        catch (PeykException error)
        {
            Console.WriteLine(error.Code);
        }
        Console.WriteLine(Webhook(Env("PAYLOAD"), Env("SECRET"))["type"]);
        try
        {
            Webhook(Env("PAYLOAD") + " ", Env("SECRET"));
        }
        catch (WebhookVerificationException)
        {
            Console.WriteLine("refused");
        }
    }

    private static void Main()
    {
        Console.OutputEncoding = new UTF8Encoding(false);
        if (Env("PROGRAM") == "backend") DoWhatABackendNeeds().GetAwaiter().GetResult();
        else if (Env("PROGRAM") == "webhook") Console.WriteLine(Webhook(Env("PAYLOAD"), Env("SECRET"))["type"]);
        else MakeCalls().GetAwaiter().GetResult();
    }
}
