using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Peyk
{
    /// <summary>Reads and writes JSON. Objects are dictionaries, lists are lists, whole numbers are <c>long</c>.</summary>
    public static class Json
    {
        private const int MaxDepth = 100;

        /// <summary>Throws a <see cref="FormatException"/> if the text is not JSON.</summary>
        public static object Parse(string text)
        {
            var reader = new Reader(text);
            var value = reader.Value(0);
            reader.End();
            return value;
        }

        /// <summary>Throws an <see cref="ArgumentException"/> for what JSON does not have.</summary>
        public static string Write(object value)
        {
            var text = new StringBuilder();
            Write(text, value, 0);
            return text.ToString();
        }

        private static void Write(StringBuilder text, object value, int depth)
        {
            if (depth > MaxDepth) throw Unwritable("it is nested too deeply");
            var fields = value is JsonObject made ? made.Values : value as IDictionary<string, object>;
            if (value == null) text.Append("null");
            else if (value is string word) WriteText(text, word);
            else if (value is bool flag) text.Append(flag ? "true" : "false");
            else if (fields != null) WriteFields(text, fields, depth);
            else if (value is IEnumerable list) WriteList(text, list, depth);
            else WriteScalar(text, value);
        }

        private static void WriteFields(StringBuilder text, IDictionary<string, object> fields, int depth)
        {
            text.Append('{');
            var isFirst = true;
            foreach (var field in fields)
            {
                if (!isFirst) text.Append(',');
                isFirst = false;
                WriteText(text, field.Key);
                text.Append(':');
                Write(text, field.Value, depth + 1);
            }
            text.Append('}');
        }

        private static void WriteList(StringBuilder text, IEnumerable list, int depth)
        {
            text.Append('[');
            var isFirst = true;
            foreach (var each in list)
            {
                if (!isFirst) text.Append(',');
                isFirst = false;
                Write(text, each, depth + 1);
            }
            text.Append(']');
        }

        private static void WriteScalar(StringBuilder text, object value)
        {
            var number = value is double || value is float ? Convert.ToDouble(value, CultureInfo.InvariantCulture) : 0;
            if (double.IsNaN(number) || double.IsInfinity(number)) throw Unwritable("it is not a number");
            if (value is double || value is float)
                text.Append(number.ToString("R", CultureInfo.InvariantCulture));
            else if (value is Guid) WriteText(text, value.ToString());
            else if (value is IConvertible && !(value is DateTime) && !(value is char) && !(value is Enum))
                text.Append(Convert.ToString(value, CultureInfo.InvariantCulture));
            else throw Unwritable(value.GetType().Name + " has no form in JSON");
        }

        private static ArgumentException Unwritable(string reason) =>
            new ArgumentException("A field cannot be written as JSON: " + reason + ".");

        private static void WriteText(StringBuilder text, string value)
        {
            text.Append('"');
            foreach (var each in value)
            {
                if (each == '"' || each == '\\') text.Append('\\').Append(each);
                else if (each < ' ' || char.IsSurrogate(each) || each == '\u2028' || each == '\u2029')
                    text.Append("\\u").Append(((int)each).ToString("x4"));
                else text.Append(each);
            }
            text.Append('"');
        }

        private sealed class Reader
        {
            private readonly string text;
            private int at;

            public Reader(string text)
            {
                this.text = text;
            }

            public object Value(int depth)
            {
                if (depth > MaxDepth) throw Broken();
                switch (Next())
                {
                    case '{': return Fields(depth);
                    case '[': return List(depth);
                    case '"': return Text();
                    case 't': return Word("true", true);
                    case 'f': return Word("false", false);
                    case 'n': return Word("null", null);
                    default: return Number();
                }
            }

            public void End()
            {
                Skip();
                if (at != text.Length) throw Broken();
            }

            private FormatException Broken() => new FormatException("This is not JSON, at " + at + ".");

            private void Skip()
            {
                while (at < text.Length && " \t\r\n".IndexOf(text[at]) >= 0) at++;
            }

            private char Next()
            {
                Skip();
                if (at >= text.Length) throw Broken();
                return text[at];
            }

            private bool Takes(char wanted)
            {
                if (Next() != wanted) return false;
                at++;
                return true;
            }

            private void Require(char wanted)
            {
                if (!Takes(wanted)) throw Broken();
            }

            private IDictionary<string, object> Fields(int depth)
            {
                var fields = new Dictionary<string, object>();
                Require('{');
                if (Takes('}')) return fields;
                do
                {
                    if (Next() != '"') throw Broken();
                    var name = Text();
                    Require(':');
                    fields[name] = Value(depth + 1);
                } while (Takes(','));
                Require('}');
                return fields;
            }

            private List<object> List(int depth)
            {
                var list = new List<object>();
                Require('[');
                if (Takes(']')) return list;
                do list.Add(Value(depth + 1)); while (Takes(','));
                Require(']');
                return list;
            }

            private object Word(string word, object value)
            {
                if (string.CompareOrdinal(text, at, word, 0, word.Length) != 0) throw Broken();
                at += word.Length;
                return value;
            }

            private string Text()
            {
                var made = new StringBuilder();
                for (at++; at < text.Length && text[at] != '"'; at++)
                {
                    if (text[at] < ' ') throw Broken();
                    made.Append(text[at] == '\\' ? Escaped() : text[at]);
                }
                if (at >= text.Length) throw Broken();
                at++;
                return made.ToString();
            }

            private char Escaped()
            {
                at++;
                if (at >= text.Length) throw Broken();
                var place = "\"\\/bfnrt".IndexOf(text[at]);
                if (place >= 0) return "\"\\/\b\f\n\r\t"[place];
                if (text[at] != 'u' || at + 4 >= text.Length) throw Broken();
                int code;
                var style = NumberStyles.AllowHexSpecifier;
                if (!int.TryParse(text.Substring(at + 1, 4), style, CultureInfo.InvariantCulture, out code)) throw Broken();
                at += 4;
                return (char)code;
            }

            private object Number()
            {
                var from = at;
                while (at < text.Length && "+-.eE0123456789".IndexOf(text[at]) >= 0) at++;
                var number = text.Substring(from, at - from);
                long whole;
                double real;
                if (long.TryParse(number, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out whole)) return whole;
                if (double.TryParse(number, NumberStyles.Float, CultureInfo.InvariantCulture, out real)) return real;
                throw Broken();
            }
        }
    }
}
