/** PEM text. Source: RFC 7468. */
import { invalid } from '../base/errors.ts'
import { texts } from '../base/texts.ts'

const COLUMNS = 64

/** Lines of 64 characters, LF, and a newline at the end. */
export function encodePem(label: string, der: Uint8Array): string {
  const base64 = texts.base64(der)
  let text = `-----BEGIN ${label}-----\n`
  for (let at = 0; at < base64.length; at += COLUMNS) text += `${base64.slice(at, at + COLUMNS)}\n`
  return `${text}-----END ${label}-----\n`
}

/**
 * The bytes of the only block in `text`, which the caller owns. White space around the block and lines of any length are accepted; headers,
 * other text and further blocks are not.
 * @throws KernelError 400 otherwise, also for another label
 */
export function decodePem(label: string, text: string): Uint8Array {
  const begin = `-----BEGIN ${label}-----`
  const end = `-----END ${label}-----`
  const trimmed = text.trim()
  const body = trimmed.slice(begin.length, -end.length).replace(/[\r\n\t ]+/g, '')
  if (!trimmed.startsWith(begin) || !trimmed.endsWith(end) || trimmed.length < begin.length + end.length) {
    throw invalid(`the text is not a PEM block of the type ${label}`)
  }
  if (body.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(body)) throw invalid('the PEM block must contain base64')
  return texts.fromBase64(body)
}

/** Longer than any key or certificate request. */
const MAX_TEXT_CHARACTERS = 65_536

/**
 * The bytes of the first block in a text, with any label; the caller owns them. As in Vault, text around the block, further blocks, headers
 * and all line endings are accepted.
 * @throws KernelError 400 naming the parameter if there is no block or it is not base64
 */
export function decodeFirstPem(text: string, name: string): Uint8Array {
  const lines = linesOf(text, MAX_TEXT_CHARACTERS, name)
  const block = nextBlock(lines, 0, name)
  if (!block) throw invalid(`${name}: must be in PEM form`)
  return block.bytes
}

/**
 * The only block of a text, with its label. As in Vault, text before the block is skipped.
 * @throws KernelError 400 naming the parameter for other labels, and for anything but white space after the block
 */
export function decodeOnlyPem(labels: readonly string[], text: string, name: string): Omit<PemBlock, 'next'> {
  const lines = linesOf(text, MAX_TEXT_CHARACTERS, name)
  const block = nextBlock(lines, 0, name)
  if (!block || !labels.includes(block.label)) throw invalid(`${name}: must be in PEM form, as ${labels.join(' or ')}`)
  if (lines.slice(block.next).some((line) => line !== '')) throw invalid(`${name}: must have nothing after the PEM block`)
  return block
}

/** Space for chains of more than twenty certificates. */
const MAX_CHAIN_CHARACTERS = 131_072

/**
 * The bytes of all blocks that have one of the labels; the caller owns them. As in Vault, other blocks and text before and between the
 * blocks are skipped.
 * @throws KernelError 400, also for text after the last block
 */
export const decodePems = (labels: readonly string[], text: string, name: string): readonly Uint8Array[] =>
  decodeLabelledPems(labels, text, name).map(({ bytes }) => bytes)

/** {@link decodePems} with the labels of the blocks. */
export function decodeLabelledPems(labels: readonly string[], text: string, name: string): readonly Omit<PemBlock, 'next'>[] {
  const lines = linesOf(text, MAX_CHAIN_CHARACTERS, name)
  const found: PemBlock[] = []
  let at = 0
  for (let block = nextBlock(lines, 0, name); block; block = nextBlock(lines, at, name)) {
    if (labels.includes(block.label)) found.push(block)
    at = block.next
  }
  if (lines.slice(at).some((line) => line !== '')) throw invalid(`${name}: must not have other text after the last PEM block`)
  return found
}

function linesOf(text: string, longest: number, name: string): readonly string[] {
  if (text.length > longest) throw invalid(`${name}: must be at most ${longest} characters`)
  return text.split(/\r\n|\r|\n/).map((line) => line.trim())
}

interface PemBlock {
  readonly label: string
  readonly bytes: Uint8Array
  /** The line after the block. */
  readonly next: number
}

function nextBlock(lines: readonly string[], from: number, name: string): PemBlock | undefined {
  let begin = from
  while (begin < lines.length && !/^-----BEGIN .+-----$/.test(lines[begin] as string)) begin++
  if (begin === lines.length) return undefined
  const label = (lines[begin] as string).slice('-----BEGIN '.length, -'-----'.length)
  const end = lines.indexOf(`-----END ${label}-----`, begin)
  if (end < 0) throw invalid(`${name}: the PEM block must have an END line`)
  const body = lines
    .slice(begin + 1, end)
    .filter((line) => !line.includes(':'))
    .join('')
  if (body.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(body)) throw invalid(`${name}: the PEM block must contain base64`)
  return { label, bytes: texts.fromBase64(body), next: end + 1 }
}
