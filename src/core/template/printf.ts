/**
 * printf as in Go's fmt: the verbs %s %d %v %q %x %X %%, the flags `-`, `0` and `+`, width and precision. As in Go, a missing, surplus or
 * wrong operand causes no error, but a note in the output, such as `%!s(MISSING)`. Some default templates of Vault rely on that.
 */
import { toHex } from '../base/identifiers.ts'
import { type ByteText, byteTextBytes, charactersOf } from './byte-text.ts'
import { type NameTemplateValue, printed, type TemplateRun } from './function.ts'
import { goQuoted } from './quoted.ts'

const DIRECTIVE = /%([-0+]*)(\d{0,6})(?:\.(\d{0,6}))?([sdvqxX%]?)/g

interface Directive {
  readonly left: boolean
  readonly zeros: boolean
  readonly plus: boolean
  readonly width: number
  readonly precision: number | undefined
  readonly verb: string
}

export function printf(run: TemplateRun, format: ByteText, ...values: readonly NameTemplateValue[]): ByteText {
  let used = 0
  let length = 0
  const text = format.replace(DIRECTIVE, (_all, flags: string, width: string, precision: string | undefined, verb: string) => {
    if (verb === '') throw run.refuse('printf supports %s, %d, %v, %q, %x, %X and %%')
    if (verb === '%') return '%'
    const value = values[used++]
    if (value === undefined) return `%!${verb}(MISSING)`
    const directive: Directive = {
      left: flags.includes('-'),
      zeros: flags.includes('0'),
      plus: flags.includes('+'),
      width: Number(width),
      precision: precision === undefined ? undefined : Number(precision),
      verb,
    }
    run.checkLength(Math.max(directive.width, directive.precision ?? 0))
    const part = padded(run, directive, value)
    // Check the total length: each part is short, but there may be many parts.
    length += part.length
    run.checkLength(length)
    return part
  })
  if (used >= values.length) return text
  const extra = values.slice(used).map((value) => `${typeName(value)}=${printed(run, value)}`)
  return `${text}%!(EXTRA ${extra.join(', ')})`
}

function padded(run: TemplateRun, directive: Directive, value: NameTemplateValue): ByteText {
  const { zeros, plus, verb } = directive
  if (typeof value !== 'number' && (zeros || plus)) throw run.refuse('printf supports the flags 0 and + only for numbers')
  if (plus && verb !== 'd') throw run.refuse('printf supports the flag + only with %d')
  if (VERBS[typeName(value)]?.includes(verb)) return sized(directive, value, written(run, directive, value))
  const plain = { ...directive, verb: 'v' }
  return `%!${verb}(${typeName(value)}=${sized(plain, value, written(run, plain, value))})`
}

function sized({ left, zeros, width, precision }: Directive, value: NameTemplateValue, text: ByteText): ByteText {
  const missing = Math.max(0, width - charactersOf(text).length)
  if (left) return text + ' '.repeat(missing)
  if (!zeros || typeof value !== 'number' || precision !== undefined) return ' '.repeat(missing) + text
  const sign = /^[+-]?/.exec(text)?.[0] ?? ''
  return sign + '0'.repeat(missing) + text.slice(sign.length)
}

/** The names that Go uses for the types. */
const typeName = (value: NameTemplateValue): string =>
  typeof value === 'number' ? 'int' : typeof value === 'boolean' ? 'bool' : 'string'

const VERBS: Readonly<Record<string, string>> = { string: 'svqxX', int: 'dvxX', bool: 'v' }

/**
 * For a number, the precision is the minimum number of digits. For a string, it is the maximum number of characters, or of bytes with %x.
 */
function written(run: TemplateRun, directive: Directive, value: NameTemplateValue): ByteText {
  if (typeof value === 'number') return numberText(directive, value)
  if (typeof value !== 'string') return printed(run, value)
  const { verb, precision } = directive
  if (verb === 'x') return toHex(byteTextBytes(value.slice(0, precision)))
  if (verb === 'X') return toHex(byteTextBytes(value.slice(0, precision))).toUpperCase()
  const cut = precision === undefined ? value : charactersOf(value).slice(0, precision).join('')
  return verb === 'q' ? goQuoted(cut) : cut
}

function numberText({ verb, plus, precision }: Directive, value: number): ByteText {
  if (precision === 0 && value === 0) return ''
  const digits = Math.abs(value).toString(verb === 'd' || verb === 'v' ? 10 : 16)
  const sign = value < 0 ? '-' : plus ? '+' : ''
  return sign + (verb === 'X' ? digits.toUpperCase() : digits).padStart(precision ?? 0, '0')
}
