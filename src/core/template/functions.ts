/** All functions that templates can use, by name. */
import { sha256 } from '@noble/hashes/sha2.js'
import { decodeBase64, encodeBase64 } from '../base/base64.ts'
import { fitsAny } from '../base/glob.ts'
import { base62, toHex, uuid } from '../base/identifiers.ts'
import { texts } from '../base/texts.ts'
import { BUILT_IN } from './built-in.ts'
import { type ByteText, bytesToText, byteTextBytes, byteTextOf, charactersOf, decodeByteText, firstBytes } from './byte-text.ts'
import { fixed, type TemplateFunction, type TemplateRun } from './function.ts'
import { formatTime } from './time-layout.ts'

/** The number of hexadecimal digits of a digest that `truncate_sha256` writes in place of the part that it cuts off. */
const DIGEST_DIGITS = 8

const digest = (text: ByteText): string => toHex(sha256(byteTextBytes(text)))

function truncate(run: TemplateRun, most: number, text: ByteText): ByteText {
  if (most <= 0) throw run.refuse('truncate requires a length above 0')
  return firstBytes(text, most)
}

/**
 * Replaces the end of a long string with the beginning of a digest of that end. So long strings that have the same beginning remain
 * different.
 */
function truncateSha256(run: TemplateRun, most: number, text: ByteText): ByteText {
  if (most <= DIGEST_DIGITS) throw run.refuse(`truncate_sha256 requires a length above ${DIGEST_DIGITS}`)
  if (text.length <= most) return text
  const kept = firstBytes(text, most - DIGEST_DIGITS)
  return kept + digest(text.slice(kept.length)).slice(0, DIGEST_DIGITS)
}

function random(run: TemplateRun, length: number): ByteText {
  if (length < 0) throw run.refuse('random requires a length of 0 or more')
  run.checkLength(length)
  return base62(run.entropy, length)
}

/** As in Go, an empty old string matches before and after every character. */
function replace(run: TemplateRun, old: ByteText, put: ByteText, text: ByteText): ByteText {
  const parts = old === '' ? ['', ...charactersOf(text), ''] : text.split(old)
  run.checkLength(text.length + (parts.length - 1) * (put.length - old.length))
  return parts.join(put)
}

/** As in Go, a letter whose converted form has several letters stays unchanged. */
const cased =
  (change: (letter: string) => string): TemplateFunction['run'] =>
  (run, text: ByteText) => {
    const letters = decodeByteText(text)
    if (letters === undefined) throw run.refuse('uppercase and lowercase require a UTF-8 text')
    const changed = [...letters].map((letter) => {
      const other = change(letter)
      return [...other].length === 1 ? other : letter
    })
    return byteTextOf(changed.join(''))
  }

function decodeHex(run: TemplateRun, text: ByteText): ByteText {
  if (!/^([0-9a-fA-F]{2})*$/.test(text)) throw run.refuse('decode_hex requires pairs of hexadecimal digits')
  return bytesToText(texts.fromHex(text))
}

const NAMED: Readonly<Record<string, TemplateFunction>> = {
  random: fixed(['number'], random),
  truncate: fixed(['number', 'text'], truncate),
  truncate_sha256: fixed(['number', 'text'], truncateSha256),
  uppercase: fixed(
    ['text'],
    cased((letter) => letter.toUpperCase()),
  ),
  lowercase: fixed(
    ['text'],
    cased((letter) => letter.toLowerCase()),
  ),
  replace: fixed(['text', 'text', 'text'], replace),
  sha256: fixed(['text'], (_run, text: ByteText) => digest(text)),
  base64: fixed(['text'], (_run, text: ByteText) => encodeBase64(byteTextBytes(text))),
  decode_base64: fixed(['text'], (run, text: ByteText) => bytesToText(decodeBase64(text, `${run.parameter}: decode_base64`))),
  hex: fixed(['text'], (_run, text: ByteText) => toHex(byteTextBytes(text))),
  decode_hex: fixed(['text'], decodeHex),
  unix_time: fixed([], ({ now }) => String(Math.floor(now / 1000))),
  unix_time_millis: fixed([], ({ now }) => String(Math.floor(now))),
  timestamp: fixed(['text'], ({ now }, layout: ByteText) => formatTime(layout, now)),
  uuid: fixed([], ({ entropy }) => uuid(entropy.bytes(16))),
  glob: fixed(['text', 'text'], (_run, pattern: ByteText, text: ByteText) => fitsAny(text, [pattern])),
}

export const FUNCTIONS: ReadonlyMap<string, TemplateFunction> = /* @__PURE__ */ new Map(Object.entries({ ...BUILT_IN, ...NAMED }))
