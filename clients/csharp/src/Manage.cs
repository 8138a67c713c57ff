using System;
using System.Collections.Generic;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;

namespace Peyk
{
    /// <summary>The management API by operation, with a token.</summary>
    public sealed class Manage
    {
        private readonly Transport transport;

        internal Manage(Transport transport)
        {
            this.transport = transport;
        }

        /// <summary>
        /// Calls an operation, such as <c>api-keys.create</c>. Fields are those of the path, the query or the body by their
        /// names in the API; <paramref name="ifMatch"/> is the version that you read. Null if the response is empty.
        /// </summary>
        public async Task<JsonObject> CallAsync(
            string operation, IDictionary<string, object> fields = null, string idempotencyKey = null, long? ifMatch = null,
            CancellationToken cancellation = default(CancellationToken))
        {
            Operation known;
            if (!Operation.All.TryGetValue(operation ?? "", out known))
                throw new ArgumentException(
                    "There is no operation " + operation + ". There are: " + string.Join(", ", Operation.All.Keys) + ".");
            var rest = new Dictionary<string, object>(fields ?? new Dictionary<string, object>());
            var path = Regex.Replace(known.Path, @"\{(\w+)\}", found =>
            {
                var name = found.Groups[1].Value;
                object value;
                rest.TryGetValue(name, out value);
                rest.Remove(name);
                return Arguments.PathPart(name, value);
            });
            var values = await transport.Send(new Call
            {
                Method = known.Method,
                Path = path,
                Query = known.Method == "GET" ? rest : null,
                Body = known.HasBody ? rest : null,
                UsesToken = true,
                // A repeated removal finds nothing.
                IsSafe = known.Method == "PUT",
                IsIdempotent = known.IsIdempotent,
                MayBeEmpty = true,
                IdempotencyKey = idempotencyKey,
                IfMatch = ifMatch,
                Cancellation = cancellation
            }).ConfigureAwait(false);
            return values == null ? null : new JsonObject(values);
        }
    }

    internal sealed partial class Operation
    {
        public readonly string Method;
        public readonly string Path;
        public readonly bool HasBody;
        public readonly bool IsIdempotent;

        private Operation(string method, string path, bool hasBody, bool isIdempotent)
        {
            Method = method;
            Path = path;
            HasBody = hasBody;
            IsIdempotent = isIdempotent;
        }
    }
}
