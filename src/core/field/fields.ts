/**
 * The types of parameters.
 */
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
  /** A name in a path: letters, digits, `_`, `-`, `.`; the first and the last a letter, a digit or `_`. Anything else is 404. */
  name: nameField,

  /** A path of any characters, as a request can carry it: no segment is empty, `.` or `..`. A trailing slash is allowed. */
  path: pathField,

  /** A path that does not end in a period (spec document 1): the name of a policy, mount, namespace. Otherwise 404. */
  freeName: freeNameField,

  text: textField,

  /** `Uint8Array` in the typed API, base64 on the wire. */
  bytes: bytesField,

  /** Results only: `Uint8Array` in the typed API; on the wire base64, or hex where the request's `format` says so. */
  formattedBytes: formattedBytesField,

  bool: boolField,

  int: intField,

  /** Text that is not coerced from a number on the wire. */
  strictText: strictTextField,

  /** A share of a key, as people hold it: hexadecimal or base64; in the typed API also as bytes. */
  share: shareField,

  /** True or false, and no words for them. */
  strictBool: strictBoolField,

  /** A list of texts, without coercion from other types. */
  strictTexts: strictTextsField,

  /** A whole number that is not coerced from text on the wire either. */
  strictInt: strictIntField,

  /** Whole seconds; on both views a number of seconds or text such as `1h30m` or `30d`. */
  duration: durationField,

  /** Milliseconds since the epoch; on both views an RFC 3339 text, or whole seconds since the epoch as a number or text. */
  time: timeField,

  /** One of a fixed list of words, exactly as written there. */
  oneOf: oneOfField,

  /** Text for which a caller of the typed API passes one of `T`. The operation decides which texts are valid. */
  word: wordField,

  /** One of the words `T` or a whole number; the operation tells them apart. */
  wordOrInt: wordOrIntField,

  /**
   * Texts; on the wire a list of scalars, or one text split at its commas. Spaces around each are removed; an empty text is an
   * empty list.
   * @param most How many are accepted; they are counted before any is read.
   */
  list: listField,

  /** Texts, at most 10,000; on the wire a list of scalars, or one text as the only element, even with commas. */
  texts: textsField,

  /** Names, at most 10,000, with texts; on the wire also a text or a list of texts `name=value`. */
  pairs: pairsField,

  /** Names with texts, as an object. That they are texts the operation looks at itself. */
  textMap: textMapField,

  /** An object with at most 10,000 members of any type. Read it with `memberOf` and `namesOf`: a very large one is no plain object. */
  object: objectField,

  /**
   * A JSON object, kept as its text, with every digit. The caller may change the value as soon as the call has returned; a large one
   * must not change until the answer is there.
   */
  document: documentField,

  /** A duration that the operation itself parses, with `parseDuration`, after judging the caller. */
  lateDuration: lateDurationField,

  /** A duration of Go, as text or in nanoseconds, that the operation itself parses. */
  goDuration: goDurationField,

  record: recordField,

  records: recordsField,

  /** Results only: an object or list that both views show as it is. */
  json: jsonField,
}
