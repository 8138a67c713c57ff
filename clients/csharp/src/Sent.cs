using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Peyk
{
    /// <summary>The common part of codes and messages.</summary>
    public abstract class Sent
    {
        private readonly Transport transport;
        private readonly string root;

        internal Sent(Transport transport, string root)
        {
            this.transport = transport;
            this.root = root;
        }

        internal async Task<T> Post<T>(
            string path, JsonObject body, Func<IDictionary<string, object>, T> make, CancellationToken cancellation,
            bool isSafe = false, bool isIdempotent = false, string idempotencyKey = null)
        {
            var call = new Call
            {
                Method = "POST", Path = root + path, Body = body, IsSafe = isSafe, IsIdempotent = isIdempotent,
                IdempotencyKey = idempotencyKey, Cancellation = cancellation
            };
            return make(await transport.Send(call).ConfigureAwait(false));
        }

        internal async Task<T> Get<T>(
            string path, JsonObject query, Func<IDictionary<string, object>, T> make, CancellationToken cancellation)
        {
            var call = new Call { Method = "GET", Path = root + path, Query = query?.Values, Cancellation = cancellation };
            return make(await transport.Send(call).ConfigureAwait(false));
        }

        internal static string At(string id, string action = "") => "/" + Arguments.PathPart("id", id) + action;
    }

    /// <summary>One-time codes.</summary>
    public class Codes : Sent
    {
        internal Codes(Transport transport, string root) : base(transport, root)
        {
        }

        /// <summary>Sends a code. Repeated after a lost response, it sends no second one.</summary>
        public Task<OtpSendResponse> SendAsync(
            OtpSendRequest request, string idempotencyKey = null, CancellationToken cancellation = default(CancellationToken)) =>
            Post("/send", request, fields => new OtpSendResponse(fields), cancellation, false, true, idempotencyKey);

        /// <summary>Checks a code. Only <c>Verified</c> is success. It is never repeated: each try counts.</summary>
        public Task<OtpVerifyResponse> VerifyAsync(
            string verificationId, string code, CancellationToken cancellation = default(CancellationToken))
        {
            var body = new OtpVerifyRequest { VerificationId = verificationId, Code = code };
            return Post("/verify", body, fields => new OtpVerifyResponse(fields), cancellation);
        }

        public Task<OtpStatusResponse> StatusAsync(string id, CancellationToken cancellation = default(CancellationToken)) =>
            Get(At(id), null, fields => new OtpStatusResponse(fields), cancellation);

        /// <summary>Tries the next channel now; with <c>FromSequence</c>, only if no later attempt exists yet.</summary>
        public Task<OtpStatusResponse> NextAsync(
            string id, OtpNextRequest request = null, CancellationToken cancellation = default(CancellationToken))
        {
            var body = request ?? new OtpNextRequest();
            return Post(At(id, "/next"), body, fields => new OtpStatusResponse(fields), cancellation, body.FromSequence != null);
        }

        /// <summary>Ends a verification: no further channel is tried.</summary>
        public Task<OtpStatusResponse> CancelAsync(string id, CancellationToken cancellation = default(CancellationToken)) =>
            Post(At(id, "/cancel"), null, fields => new OtpStatusResponse(fields), cancellation, true);

        /// <summary>One page.</summary>
        public Task<ListedOtpList> ListAsync(
            OtpListQuery query = null, CancellationToken cancellation = default(CancellationToken)) =>
            Get("", query, fields => new ListedOtpList(fields), cancellation);

        /// <summary>Every item, page by page.</summary>
        public async Task EachAsync(
            OtpListQuery query, Func<ListedOtp, Task> use, CancellationToken cancellation = default(CancellationToken))
        {
            var page = await ListAsync(query, cancellation).ConfigureAwait(false);
            while (true)
            {
                foreach (var item in page.Data) await use(item).ConfigureAwait(false);
                if (page.NextCursor == null) return;
                var values = new Dictionary<string, object>(query?.Values ?? new Dictionary<string, object>());
                var next = new OtpListQuery(values) { Cursor = page.NextCursor };
                page = await ListAsync(next, cancellation).ConfigureAwait(false);
            }
        }
    }

    /// <summary>One-time codes, with a live key.</summary>
    public sealed class LiveCodes : Codes
    {
        internal LiveCodes(Transport transport) : base(transport, "/v1/otp")
        {
        }

        /// <summary>What a send of this request would do now. It sends, charges and counts nothing.</summary>
        public Task<OtpPreview> PreviewAsync(
            OtpSendRequest request, CancellationToken cancellation = default(CancellationToken)) =>
            Post("/preview", request, fields => new OtpPreview(fields), cancellation, true);
    }

    /// <summary>Messages to one phone each.</summary>
    public sealed class Messages : Sent
    {
        internal Messages(Transport transport, string root) : base(transport, root)
        {
        }

        /// <summary>Creates a message. Repeated after a lost response, it creates no second one.</summary>
        public Task<MessageSendResponse> SendAsync(
            MessageSendRequest request, string idempotencyKey = null,
            CancellationToken cancellation = default(CancellationToken)) =>
            Post("/send", request, fields => new MessageSendResponse(fields), cancellation, false, true, idempotencyKey);

        /// <summary>Creates up to 500 messages. Each has its own outcome, in the order of the request.</summary>
        public Task<MessageBatchResponse> BatchAsync(
            IReadOnlyList<MessageSendRequest> messages, string idempotencyKey = null,
            CancellationToken cancellation = default(CancellationToken))
        {
            var body = new MessageBatchRequest { Messages = messages };
            return Post("/batch", body, fields => new MessageBatchResponse(fields), cancellation, false, true, idempotencyKey);
        }

        public Task<MessageStatusResponse> StatusAsync(string id, CancellationToken cancellation = default(CancellationToken)) =>
            Get(At(id), null, fields => new MessageStatusResponse(fields), cancellation);

        /// <summary>Cancels a message of which nothing was sent yet.</summary>
        public Task<MessageStatusResponse> CancelAsync(string id, CancellationToken cancellation = default(CancellationToken)) =>
            Post(At(id, "/cancel"), null, fields => new MessageStatusResponse(fields), cancellation, true);

        /// <summary>One page.</summary>
        public Task<MessageStatusResponseList> ListAsync(
            MessageListQuery query = null, CancellationToken cancellation = default(CancellationToken)) =>
            Get("", query, fields => new MessageStatusResponseList(fields), cancellation);

        /// <summary>Every item, page by page.</summary>
        public async Task EachAsync(
            MessageListQuery query, Func<MessageStatusResponse, Task> use,
            CancellationToken cancellation = default(CancellationToken))
        {
            var page = await ListAsync(query, cancellation).ConfigureAwait(false);
            while (true)
            {
                foreach (var item in page.Data) await use(item).ConfigureAwait(false);
                if (page.NextCursor == null) return;
                var values = new Dictionary<string, object>(query?.Values ?? new Dictionary<string, object>());
                var next = new MessageListQuery(values) { Cursor = page.NextCursor };
                page = await ListAsync(next, cancellation).ConfigureAwait(false);
            }
        }
    }
}
