/** Converts a value to the type that an operator, a condition or the surrounding text requires. The formats are those of Go's `strconv`. */
import { coerce } from '../expression/scalar.ts'
import { boolShape, floatShape, intShape } from '../expression/shape.ts'
import type { TemplateValue } from './nodes.ts'

export type ValueType = 'TypeString' | 'TypeInt' | 'TypeFloat' | 'TypeBool'

export const valueTypeOf = (value: TemplateValue): ValueType => {
  if (typeof value === 'string') return 'TypeString'
  if (typeof value === 'bigint') return 'TypeInt'
  return typeof value === 'number' ? 'TypeFloat' : 'TypeBool'
}

const SHAPES = { TypeInt: intShape(64), TypeFloat: floatShape(64), TypeBool: boolShape } as const

/**
 * Returns the converted value, or `refused`: the reason why this value cannot be converted. Undefined if no value of its type can be
 * converted to `type`.
 */
export function convert(
  value: TemplateValue,
  type: ValueType,
): { readonly value: TemplateValue } | { readonly refused: string } | undefined {
  if (valueTypeOf(value) === type) return { value }
  if (type === 'TypeString') return { value: formatValue(value) }
  if (typeof value === 'string') {
    const coerced = coerce(SHAPES[type], value)
    return 'refused' in coerced
      ? { refused: `a variable or text is not a valid ${type.slice(4).toLowerCase()}: ${coerced.refused}` }
      : coerced
  }
  if (typeof value === 'bigint' && type === 'TypeFloat') return { value: Number(value) }
  if (typeof value === 'number' && type === 'TypeInt')
    return Number.isFinite(value)
      ? { value: BigInt.asIntN(64, BigInt(Math.trunc(value))) }
      : { refused: 'a float cannot be converted to an int: value out of range' }
  return undefined
}

/** Formats a value. A float is written as Go's `strconv.FormatFloat` does with format `g`: as short as possible, such as `1e+06`. */
export function formatValue(value: TemplateValue): string {
  if (typeof value !== 'number') return String(value)
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
  if (Object.is(value, -0)) return '-0'
  const [digits = '', exponent = '0'] = value.toExponential().split('e')
  if (Number(exponent) >= -4 && Number(exponent) < 6) return plainText(digits, Number(exponent))
  return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`
}

/** Formats a number without an exponent. The number must be less than a million. */
function plainText(digits: string, exponent: number): string {
  const sign = digits.startsWith('-') ? '-' : ''
  const plain = digits.replace(/[-.]/g, '')
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${plain}`
  const whole = plain.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  const fraction = plain.slice(exponent + 1)
  return fraction === '' ? `${sign}${whole}` : `${sign}${whole}.${fraction}`
}
