using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;

namespace Peyk
{
    internal sealed class Call
    {
        public string Method;
        public string Path;
        public IDictionary<string, object> Query;
        public object Body;
        public bool UsesToken;
        public bool IsSafe;
        public bool IsIdempotent;
        public bool MayBeEmpty;
        public string IdempotencyKey;
        public long? IfMatch;
        public CancellationToken Cancellation;
    }

    /// <summary>Sends requests: adds credentials, waits, repeats what is safe to repeat, and throws PeykException.</summary>
    internal sealed class Transport : IDisposable
    {
        private const double FirstDelaySeconds = 0.25;
        private const double LongestDelaySeconds = 10;

        /// <summary>What a failed call leaves open.</summary>
        private static readonly HashSet<string> Uncertain = new HashSet<string>
        {
            "connection_failed", "timeout", ErrorCodes.InternalError, ErrorCodes.ServiceUnavailable,
            ErrorCodes.RequestTimeout, ErrorCodes.IdempotencyKeyInProgress
        };

        private static readonly Random Jitter = new Random();
        private readonly string baseUrl;
        private readonly string apiKey;
        private readonly string token;
        private readonly TimeSpan timeout;
        private readonly int retries;
        private readonly HttpClient http;

        public Transport(string baseUrl, string apiKey, string token, TimeSpan? timeout, int retries, HttpMessageHandler handler)
        {
            this.baseUrl = Arguments.BaseUrl(baseUrl);
            this.apiKey = Arguments.Credential("apiKey", apiKey);
            this.token = Arguments.Credential("token", token);
            this.timeout = Arguments.Timeout(timeout);
            this.retries = retries;
            // Redirects are not followed: the key would go elsewhere.
            http = new HttpClient(handler ?? new HttpClientHandler { AllowAutoRedirect = false, UseCookies = false })
            {
                Timeout = Timeout.InfiniteTimeSpan
            };
        }

        public void Dispose() => http.Dispose();

        /// <summary>The fields of the response; null if it is empty, and may be.</summary>
        public async Task<IDictionary<string, object>> Send(Call call)
        {
            var key = call.IsIdempotent ? Arguments.IdempotencyKey(call.IdempotencyKey) : null;
            var etag = call.IfMatch == null ? null : Arguments.ETag(call.IfMatch.Value);
            var body = call.Body == null ? null : Json.Write(call.Body);
            var address = new Uri(baseUrl + call.Path + Arguments.Query(call.Query ?? new Dictionary<string, object>()));
            // A repeat with the version before the change is refused.
            var isSafe = call.IsIdempotent || call.Method == "GET" || (call.IsSafe && etag == null);
            for (var tries = 0; ; tries++)
            {
                PeykException failure;
                try
                {
                    return await TryOnce(call, MakeRequest(call, address, body, key, etag)).ConfigureAwait(false);
                }
                catch (PeykException error)
                {
                    failure = error;
                }
                if (tries >= retries || !MayRetry(failure, isSafe)) throw failure;
                await Task.Delay(DelayBefore(tries, failure), call.Cancellation).ConfigureAwait(false);
            }
        }

        private HttpRequestMessage MakeRequest(Call call, Uri address, string body, string key, string etag)
        {
            var request = new HttpRequestMessage(new HttpMethod(call.Method), address);
            request.Headers.TryAddWithoutValidation("Accept", "application/json");
            request.Headers.TryAddWithoutValidation("User-Agent", "peyk-csharp");
            if (call.UsesToken && token != "") request.Headers.TryAddWithoutValidation("Authorization", "Bearer " + token);
            if (!call.UsesToken && apiKey != "") request.Headers.TryAddWithoutValidation("X-API-Key", apiKey);
            if (key != null) request.Headers.TryAddWithoutValidation("Idempotency-Key", key);
            if (etag != null) request.Headers.TryAddWithoutValidation("If-Match", etag);
            if (body != null)
            {
                request.Content = new ByteArrayContent(Encoding.UTF8.GetBytes(body));
                request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/json");
            }
            return request;
        }

        private async Task<IDictionary<string, object>> TryOnce(Call call, HttpRequestMessage request)
        {
            using (request)
            using (var limit = CancellationTokenSource.CreateLinkedTokenSource(call.Cancellation))
            {
                var reading = Read(request, limit.Token);
                var isDone = await Task.WhenAny(reading, Task.Delay(timeout, limit.Token)).ConfigureAwait(false) == reading;
                // also where the handler does not notice it
                if (!isDone) Forget(reading);
                limit.Cancel();
                call.Cancellation.ThrowIfCancellationRequested();
                if (!isDone) throw new PeykException("timeout", "No response within " + timeout.TotalSeconds + " s.");
                return await reading.ConfigureAwait(false) is Answer answer ? FieldsOf(answer, call.MayBeEmpty) : null;
            }
        }

        private static void Forget(Task reading) =>
            reading.ContinueWith(each => each.Exception, TaskContinuationOptions.OnlyOnFaulted);

        private sealed class Answer
        {
            public int Status;
            public string Text;
            public string RetryAfter;
            public string RequestId;
        }

        private async Task<Answer> Read(HttpRequestMessage request, CancellationToken cancellation)
        {
            try
            {
                using (var response = await http.SendAsync(request, cancellation).ConfigureAwait(false))
                {
                    var bytes = await response.Content.ReadAsByteArrayAsync().ConfigureAwait(false);
                    var expected = response.Content.Headers.ContentLength;
                    if (expected != null && expected > bytes.Length)
                        throw new HttpRequestException("The response broke off.");
                    return new Answer
                    {
                        Status = (int)response.StatusCode,
                        Text = Encoding.UTF8.GetString(bytes),
                        RetryAfter = HeaderOf(response, "Retry-After"),
                        RequestId = HeaderOf(response, "X-Request-Id")
                    };
                }
            }
            catch (Exception error) when (!(error is PeykException))
            {
                throw new PeykException("connection_failed", "The connection failed: " + error.GetBaseException().Message, error);
            }
        }

        private static string HeaderOf(HttpResponseMessage response, string name)
        {
            IEnumerable<string> values;
            return response.Headers.TryGetValues(name, out values) ? values.FirstOrDefault() : null;
        }

        private static IDictionary<string, object> FieldsOf(Answer answer, bool mayBeEmpty)
        {
            if (answer.Status == 204 && mayBeEmpty) return null;
            var fields = ParsedFields(answer.Text);
            if (answer.Status >= 200 && answer.Status < 300 && fields != null) return fields;
            throw ErrorOf(answer, fields);
        }

        private static IDictionary<string, object> ParsedFields(string text)
        {
            try
            {
                return Json.Parse(text) as IDictionary<string, object>;
            }
            catch (FormatException)
            {
                return null;
            }
        }

        private static PeykException ErrorOf(Answer answer, IDictionary<string, object> fields)
        {
            int seconds = 0;
            var hasSeconds = Regex.IsMatch(answer.RetryAfter ?? "", @"^[0-9]{1,9}\z")
                && int.TryParse(answer.RetryAfter, NumberStyles.None, CultureInfo.InvariantCulture, out seconds);
            var retryAfter = hasSeconds ? TimeSpan.FromSeconds(seconds) : (TimeSpan?)null;
            var envelope = new JsonObject(fields ?? new Dictionary<string, object>());
            var given = new JsonObject(envelope["error"] as IDictionary<string, object> ?? new Dictionary<string, object>());
            var details = given["details"] as IDictionary<string, object>;
            if (answer.Status >= 400 && details != null && given["code"] is string code && given["message"] is string message
                && envelope["request_id"] is string requestId)
                return new PeykException(code, message)
                {
                    Status = answer.Status, Details = details, RequestId = requestId, RetryAfter = retryAfter
                };
            return new PeykException("invalid_response", "The response with status " + answer.Status + " is not one of Peyk's.")
            {
                Status = answer.Status, RequestId = answer.RequestId, RetryAfter = retryAfter
            };
        }

        /// <summary>Limits (429) are for the caller to decide: waiting may take hours.</summary>
        private static bool MayRetry(PeykException failure, bool isSafe)
        {
            if (!isSafe || (failure.RetryAfter ?? TimeSpan.Zero).TotalSeconds > LongestDelaySeconds) return false;
            return failure.Code == "invalid_response" ? failure.Status >= 500 : Uncertain.Contains(failure.Code);
        }

        /// <summary>What the service asked for, else doubling, with jitter.</summary>
        private static TimeSpan DelayBefore(int tries, PeykException failure)
        {
            double random;
            lock (Jitter) random = 0.5 + Jitter.NextDouble() / 2;
            var seconds = Math.Min(FirstDelaySeconds * Math.Pow(2, tries), LongestDelaySeconds) * random;
            return TimeSpan.FromSeconds(Math.Max(seconds, (failure.RetryAfter ?? TimeSpan.Zero).TotalSeconds));
        }
    }
}
