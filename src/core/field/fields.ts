/** The field types. */
import { bytesField, formattedBytesField, shareField } from './byte-fields.ts'
import {
  documentField,
  jsonField,
  listField,
  objectField,
  pairsField,
  strictTextsField,
  textMapField,
  textsField,
} from './member-fields.ts'
import { recordField, recordsField } from './record-field.ts'
import {
  boolField,
  durationField,
  goDurationField,
  intField,
  lateDurationField,
  strictBoolField,
  strictIntField,
  timeField,
} from './scalar-fields.ts'
import {
  freeNameField,
  nameField,
  oneOfField,
  pathField,
  strictTextField,
  textField,
  wordField,
  wordOrIntField,
} from './text-fields.ts'

export const f = {
  /** A name in a path: letters, digits, `_`, `-` and `.`. It must begin and end with a letter, a digit or `_`. Any other value is a 404. */
  name: nameField,

  /** A path of any characters that a request can contain. No segment may be empty, `.` or `..`. The path may end in a slash. */
  path: pathField,

  /** The name of a policy, mount or namespace: a path that does not end in a period. Any other value is a 404. */
  freeName: freeNameField,

  text: textField,

  /** Bytes: a `Uint8Array` in typed calls, base64 on the wire. */
  bytes: bytesField,

  /** Bytes in results: a `Uint8Array` in typed calls. On the wire base64, or hexadecimal if the request's `format` is `hex`. */
  formattedBytes: formattedBytesField,

  bool: boolField,

  int: intField,

  /** A string. Numbers on the wire are refused. */
  strictText: strictTextField,

  /** A key share in hexadecimal or base64. Typed calls may also pass it as bytes. */
  share: shareField,

  /** A boolean. Strings such as `true` on the wire are refused. */
  strictBool: strictBoolField,

  /** A list of strings. A single string or elements of other types are refused. */
  strictTexts: strictTextsField,

  /** A whole number. Strings on the wire are refused. */
  strictInt: strictIntField,

  /** A duration in whole seconds: a number of seconds, or a string such as `1h30m` or `30d`. */
  duration: durationField,

  /**
   * A time. Callers pass an RFC 3339 string, or whole seconds since the epoch (a number or a string). The operation gets milliseconds since
   * the epoch.
   */
  time: timeField,

  /** One of a fixed list of words. Upper and lower case matter. */
  oneOf: oneOfField,

  /** A string. Typed calls restrict it to `T`; the operation checks which strings are valid. */
  word: wordField,

  /** One of the words `T`, or a whole number. The operation decides which of the two it is. */
  wordOrInt: wordOrIntField,

  /**
   * A list of strings. On the wire, a list of scalars, or one string that is split at its commas. Spaces around each string are removed. An
   * empty string is an empty list.
   * @param most The maximum number of strings. It is checked before any string is read.
   */
  list: listField,

  /**
   * A list of at most 10,000 strings. On the wire, a list of scalars, or one string, which is the only element even if it contains commas.
   */
  texts: textsField,

  /** A map with string values, at most 10,000 entries. On the wire also one string `name=value`, or a list of such strings. */
  pairs: pairsField,

  /** An object whose values are strings. The operation checks that the values are strings. */
  textMap: textMapField,

  /**
   * An object with at most 10,000 members of any type. Read it with `memberOf` and `memberNames`, because a very large object is not a plain
   * object.
   */
  object: objectField,

  /**
   * A JSON object. The operation gets its text, so no digits of its numbers are lost. A small object is read before the method returns. A
   * large object must not be changed until the promise of the call has settled.
   */
  document: documentField,

  /**
   * A duration that the operation parses with `parseDuration`, so that an invalid duration is reported only after the caller was
   * authorized.
   */
  lateDuration: lateDurationField,

  /** A Go duration: a string, or a number of nanoseconds. The operation parses it. */
  goDuration: goDurationField,

  record: recordField,

  records: recordsField,

  /** Only for results: an object or list that typed calls and calls by path return unchanged. */
  json: jsonField,
}
