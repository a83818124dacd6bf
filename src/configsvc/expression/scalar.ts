/** Scalar values: converts a string in an expression to the type of a shape, as Go's `strconv` does, and compares it with data. */
import type { FloatShape, IntShape, ScalarShape } from './shape.ts'

/** Integer types; integers of any size are bigints. */
export type Scalar = string | boolean | bigint | number

const BOOLS: Readonly<Record<string, boolean>> = {
  ...{ '1': true, t: true, T: true, TRUE: true, true: true, True: true },
  ...{ '0': false, f: false, F: false, FALSE: false, false: false, False: false },
}

/** The prefix selects the base; underscores may separate digits. */
const INTEGER = /^([+-]?)(0[xX](?:_?[\da-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0(?:_?[0-7])*|[1-9](?:_?\d)*)$/

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

const SPECIAL = /^(?:([+-]?)inf(?:inity)?|nan)$/i

/** A hexadecimal mantissa and a binary exponent. */
const BINARY = /^([+-]?)0[xX]((?:_?[\da-fA-F])*)(?:\.((?:[\da-fA-F](?:_?[\da-fA-F])*)?))?[pP]([+-]?\d{1,6})$/

/** The value of a string, or the reason why the string has no value of this type. */
export type Coerced = { readonly value: Scalar } | { readonly refused: 'invalid syntax' | 'value out of range' }

const SYNTAX = { refused: 'invalid syntax' } as const

const RANGE = { refused: 'value out of range' } as const

export function coerce(shape: ScalarShape, written: string): Coerced {
  if (shape.kind === 'string') return { value: written }
  if (shape.kind === 'int') return coerceInteger(shape, written)
  if (shape.kind === 'float') return coerceFloat(shape, written)
  return Object.hasOwn(BOOLS, written) ? { value: BOOLS[written] as boolean } : SYNTAX
}

function coerceInteger({ bits, signed }: IntShape, written: string): Coerced {
  const [, sign, digits] = INTEGER.exec(written) ?? []
  if (digits === undefined || (sign !== '' && !signed)) return SYNTAX
  const plain = digits.replaceAll('_', '')
  const size = BigInt(/^0\d/.test(plain) ? `0o${plain.slice(1)}` : plain)
  const value = sign === '-' ? -size : size
  const fits = signed ? BigInt.asIntN(bits, value) === value : BigInt.asUintN(bits, value) === value
  return fits ? { value } : RANGE
}

function coerceFloat(shape: FloatShape, written: string): Coerced {
  const special = SPECIAL.exec(written)
  if (special) return { value: special[1] === undefined ? Number.NaN : Number(`${special[1]}Infinity`) }
  const double = DECIMAL.test(written) ? Number(written) : binaryFloat(written)
  if (double === undefined) return SYNTAX
  const value = shape.bits === 32 ? Math.fround(double) : double
  return Number.isFinite(value) ? { value } : RANGE
}

function binaryFloat(written: string): number | undefined {
  const [, sign, whole = '', fraction = '', exponent = ''] = BINARY.exec(written) ?? []
  const digits = (whole + fraction).replaceAll('_', '')
  if (digits === '') return undefined
  const size = Number(`0x${digits}`) * 2 ** (Number(exponent) - 4 * fraction.replaceAll('_', '').length)
  return sign === '-' ? -size : size
}

/** @param wanted A value of the shape. Data of another type never equals it. */
export function equals(shape: ScalarShape, wanted: Scalar, datum: unknown): boolean {
  if (shape.kind === 'int') {
    const whole = typeof datum === 'bigint' ? datum : Number.isInteger(datum) ? BigInt(datum as number) : undefined
    return whole === wanted
  }
  if (shape.kind === 'float' && typeof datum === 'number') return (shape.bits === 32 ? Math.fround(datum) : datum) === wanted
  if (shape.kind === 'float' && typeof datum === 'bigint') return Number(datum) === wanted
  return datum === wanted
}

/** The values that absent members of records have, because the writers of the data omit zero values. */
export const ZEROS = { string: '', bool: false, int: 0, float: 0 } as const satisfies Record<ScalarShape['kind'], Scalar>
