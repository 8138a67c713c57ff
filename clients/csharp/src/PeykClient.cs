using System;
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;

namespace Peyk
{
    /// <summary>A client of one Peyk, for all threads of a program: make it once.</summary>
    public sealed class PeykClient : IDisposable
    {
        private readonly Transport transport;

        /// <param name="baseUrl">Such as <c>https://peyk.example.ir</c>.</param>
        /// <param name="apiKey">A service key: <c>svc_live_…</c>, or <c>svc_test_…</c> for the sandbox.</param>
        /// <param name="token">A personal access token, <c>svc_pat_…</c>, for <see cref="Manage"/>.</param>
        /// <param name="timeout">The time for each try; 20 seconds by default.</param>
        /// <param name="retries">How often a call that is safe to repeat is repeated.</param>
        /// <param name="handler">Instead of a handler of its own. It must not follow redirects.</param>
        public PeykClient(
            string baseUrl, string apiKey = null, string token = null, TimeSpan? timeout = null, int retries = 2,
            HttpMessageHandler handler = null)
        {
            transport = new Transport(baseUrl, apiKey, token, timeout, retries, handler);
            Otp = new LiveCodes(transport);
            Messages = new Messages(transport, "/v1/messages");
            Sandbox = new Codes(transport, "/v1/sandbox/otp");
            SandboxMessages = new Messages(transport, "/v1/sandbox/messages");
            Phones = new Phones(transport);
            Manage = new Manage(transport);
        }

        public LiveCodes Otp { get; }

        public Messages Messages { get; }

        /// <summary>With a test key: nothing is sent, and the code is 123456.</summary>
        public Codes Sandbox { get; }

        public Messages SandboxMessages { get; }

        public Phones Phones { get; }

        public Manage Manage { get; }

        /// <summary>The customer's plan, limits, prices, quota and wallet.</summary>
        public async Task<AccountSummary> AccountAsync(CancellationToken cancellation = default(CancellationToken)) =>
            new AccountSummary(await transport.Send(
                new Call { Method = "GET", Path = "/v1/account", Cancellation = cancellation }).ConfigureAwait(false));

        public void Dispose() => transport.Dispose();
    }

    /// <summary>What you know of a phone.</summary>
    public sealed class Phones
    {
        private readonly Transport transport;

        internal Phones(Transport transport)
        {
            this.transport = transport;
        }

        /// <summary>What your own records have of a phone. The phone is not in the path of the request.</summary>
        public async Task<PhoneLookup> LookupAsync(string phone, CancellationToken cancellation = default(CancellationToken))
        {
            var body = new PhoneLookupRequest { Phone = phone };
            var call = new Call { Method = "POST", Path = "/v1/phones/lookup", Body = body, IsSafe = true, Cancellation = cancellation };
            return new PhoneLookup(await transport.Send(call).ConfigureAwait(false));
        }
    }
}
