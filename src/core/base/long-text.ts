/**
 * Conversions between long strings and UTF-8 that yield to the event loop.
 */
import { inPieces, type Steps } from './steps.ts'

/** Characters or bytes per piece: less than 1 ms of work for any string. */
const PIECE = 131_072

const encoder = /* @__PURE__ */ new TextEncoder()

/** The UTF-8 form of a string, with `front` zero bytes before it. */
export function* toUtf8Steps(text: string, front = 0): Steps<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = []
  let size = front
  for (let at = 0; at < text.length; ) {
    const end = at + PIECE
    // A piece must not end between the two halves of a surrogate pair.
    const unit = text.charCodeAt(end - 1)
    const next = unit >= 0xd800 && unit < 0xdc00 ? end - 1 : end
    const piece = encoder.encode(text.slice(at, next))
    pieces.push(piece)
    size += piece.length
    at = next
    yield
  }
  const out = new Uint8Array(size)
  let at = front
  for (const piece of pieces) {
    out.set(piece, at)
    at += piece.length
    yield
  }
  return out
}

/** @throws TypeError if the bytes are not UTF-8. */
export function* fromUtf8Steps(bytes: Uint8Array): Steps<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let text = ''
  yield* inPieces(bytes.length, PIECE, (from, to) => {
    text += decoder.decode(bytes.subarray(from, to), { stream: to < bytes.length })
  })
  return text
}
