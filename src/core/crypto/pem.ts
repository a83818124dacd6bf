/** Reads and writes PEM. Source: RFC 7468. */
import { invalid } from '../base/errors.ts'
import { texts } from '../base/texts.ts'

const COLUMNS = 64

/** Encodes a block: lines of 64 characters that end in LF, including the last line. */
export function encodePem(label: string, der: Uint8Array): string {
  const base64 = texts.base64(der)
  let text = `-----BEGIN ${label}-----\n`
  for (let at = 0; at < base64.length; at += COLUMNS) text += `${base64.slice(at, at + COLUMNS)}\n`
  return `${text}-----END ${label}-----\n`
}

/**
 * Decodes the only block in `text`. The caller owns the bytes. White space around the block and lines of any length are accepted. Headers,
 * other text and more than one block are refused.
 * @throws KernelError 400 if the text has another form, or if the block has another label
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

/** The maximum length of a text that contains a key or a certificate request. Real ones are much shorter. */
const MAX_TEXT_CHARACTERS = 65_536

/**
 * Decodes the first block in a text, whatever its label. The caller owns the bytes. As in Vault, other text, further blocks, headers and
 * all kinds of line endings are accepted.
 * @throws KernelError 400 that names the parameter, if there is no block or if it is not base64
 */
export function decodeFirstPem(text: string, name: string): Uint8Array {
  const lines = linesOf(text, MAX_TEXT_CHARACTERS, name)
  const block = nextBlock(lines, 0, name)
  if (!block) throw invalid(`${name}: must be in PEM form`)
  return block.bytes
}

/**
 * Decodes the only block in a text and returns its label too. As in Vault, text before the block is skipped.
 * @throws KernelError 400 that names the parameter, if the block has another label, or if anything but white space follows it
 */
export function decodeOnlyPem(labels: readonly string[], text: string, name: string): Omit<PemBlock, 'next'> {
  const lines = linesOf(text, MAX_TEXT_CHARACTERS, name)
  const block = nextBlock(lines, 0, name)
  if (!block || !labels.includes(block.label)) throw invalid(`${name}: must be a PEM block with the label ${labels.join(' or ')}`)
  if (lines.slice(block.next).some((line) => line !== '')) throw invalid(`${name}: must not have other text after the PEM block`)
  return block
}

/** The maximum length of a text with several blocks, such as a certificate chain. It is enough for more than twenty certificates. */
const MAX_CHAIN_CHARACTERS = 131_072

/**
 * Decodes all blocks that have one of the labels. The caller owns the bytes. As in Vault, other blocks, and text before and between blocks,
 * are skipped.
 * @throws KernelError 400 if the text is malformed, or if other text follows the last block
 */
export const decodePems = (labels: readonly string[], text: string, name: string): readonly Uint8Array[] =>
  decodeLabelledPems(labels, text, name).map(({ bytes }) => bytes)

/** Like {@link decodePems}, but also returns the labels of the blocks. */
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
  /** The index of the line after the block. */
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
