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
  /** A name in a path: letters, digits, `_`, `-`, `.`, beginning and ending with a letter, a digit or `_`. Anything else is 404. */
  name: nameField,

  /** A path of any characters that a request can carry: no segment is empty, `.` or `..`. A trailing slash is allowed. */
  path: pathField,

  /** A path that does not end in a period: the name of a policy, mount or namespace. Otherwise 404. */
  freeName: freeNameField,

  text: textField,

  /** `Uint8Array` in typed calls, base64 on the wire. */
  bytes: bytesField,

  /** Only for results: `Uint8Array` in typed calls; on the wire base64, or hexadecimal if the request's `format` is `hex`. */
  formattedBytes: formattedBytesField,

  bool: boolField,

  int: intField,

  /** Text. Numbers on the wire are refused. */
  strictText: strictTextField,

  /** A key share in hexadecimal or base64; in typed calls also as bytes. */
  share: shareField,

  /** A boolean. Words for it on the wire are refused. */
  strictBool: strictBoolField,

  /** A list of texts. Other types are refused. */
  strictTexts: strictTextsField,

  /** A whole number. Texts on the wire are refused. */
  strictInt: strictIntField,

  /** Whole seconds: a number of seconds or a text such as `1h30m` or `30d`. */
  duration: durationField,

  /** Milliseconds since the epoch: an RFC 3339 text, or whole seconds since the epoch as a number or text. */
  time: timeField,

  /** One of a fixed list of words; upper and lower case matter. */
  oneOf: oneOfField,

  /** Text that typed calls restrict to `T`. The operation decides which texts are valid. */
  word: wordField,

  /** One of the words `T` or a whole number. The operation distinguishes them. */
  wordOrInt: wordOrIntField,

  /**
   * Texts: on the wire a list of scalars, or one text that is split at its commas. Spaces around each are removed; an empty text is an
   * empty list.
   * @param most The maximum number, checked before any is read.
   */
  list: listField,

  /** At most 10,000 texts: on the wire a list of scalars, or one text as the only element, even if it contains commas. */
  texts: textsField,

  /** At most 10,000 names with texts; on the wire also a text `name=value` or a list of such texts. */
  pairs: pairsField,

  /** Names with texts, as an object. The operation checks that the values are texts. */
  textMap: textMapField,

  /** An object with at most 10,000 members of any type. Read it with `memberOf` and `namesOf`: a very large one is not a plain object. */
  object: objectField,

  /**
   * A JSON object, kept as text with every digit. The caller may change the value as soon as the call has returned, except a large one,
   * which must not change before the answer.
   */
  document: documentField,

  /** A duration that the operation itself parses with `parseDuration`, after the caller was authorized. */
  lateDuration: lateDurationField,

  /** A Go duration, as text or in nanoseconds, that the operation itself parses. */
  goDuration: goDurationField,

  record: recordField,

  records: recordsField,

  /** Only for results: an object or list that typed calls and path calls show unchanged. */
  json: jsonField,
}
