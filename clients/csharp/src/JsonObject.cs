using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace Peyk
{
    /// <summary>An object of the API: of a request, or of a response. The indexer has the fields by their names there.</summary>
    public class JsonObject
    {
        public JsonObject() : this(new Dictionary<string, object>())
        {
        }

        public JsonObject(IDictionary<string, object> values)
        {
            Values = values;
        }

        public IDictionary<string, object> Values { get; }

        /// <summary>Null if there is no such field.</summary>
        public object this[string name]
        {
            get
            {
                object value;
                return Values.TryGetValue(name, out value) ? value : null;
            }
            set { Values[name] = value; }
        }

        public override string ToString() => Json.Write(this);

        // Named Get…, because each field of the API is a property of its name: there is a Text.
        protected string GetText(string name) => this[name] as string;

        protected bool? GetFlag(string name) => this[name] as bool?;

        protected long? GetInteger(string name) =>
            this[name] is IConvertible number && !(number is string)
                ? Convert.ToInt64(number, CultureInfo.InvariantCulture)
                : (long?)null;

        protected double? GetNumber(string name) =>
            this[name] is IConvertible number && !(number is string)
                ? Convert.ToDouble(number, CultureInfo.InvariantCulture)
                : (double?)null;

        protected IDictionary<string, object> GetMap(string name) => this[name] as IDictionary<string, object>;

        protected T GetChild<T>(string name, Func<IDictionary<string, object>, T> make) where T : JsonObject =>
            this[name] as T ?? (GetMap(name) == null ? null : make(GetMap(name)));

        protected IReadOnlyList<T> GetChildren<T>(string name, Func<IDictionary<string, object>, T> make) where T : JsonObject
        {
            var list = this[name] as IEnumerable<object>;
            return list?.Select(each => each as T ?? make((IDictionary<string, object>)each)).ToList();
        }

        protected void Put(string name, object value)
        {
            if (value == null) Values.Remove(name);
            else Values[name] = value;
        }
    }
}
