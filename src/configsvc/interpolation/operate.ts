/** Arithmetic and comparison of two integers or two floats. Integers have 64 bits and wrap around, as in Go. */
import type { BinaryOperator } from './nodes.ts'

export type ArithmeticOperator = Extract<BinaryOperator, '+' | '-' | '*' | '/' | '%'>

export type OrderOperator = Extract<BinaryOperator, '<' | '<=' | '>' | '>='>

export function computeNumbers(
  operator: ArithmeticOperator,
  a: bigint | number,
  b: bigint | number,
): bigint | number | { readonly refused: string } {
  if (typeof a === 'bigint' && typeof b === 'bigint') {
    if (b === 0n && (operator === '/' || operator === '%')) return { refused: 'divide by zero' }
    return BigInt.asIntN(64, onIntegers[operator](a, b))
  }
  if (operator === '%') return { refused: 'modulo cannot be used with floats' }
  return onFloats[operator](Number(a), Number(b))
}

const onIntegers: Readonly<Record<ArithmeticOperator, (a: bigint, b: bigint) => bigint>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
}

const onFloats: Readonly<Record<Exclude<ArithmeticOperator, '%'>, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
}

export function compareNumbers(operator: OrderOperator, a: bigint | number, b: bigint | number): boolean {
  if (operator === '<') return a < b
  if (operator === '<=') return a <= b
  return operator === '>' ? a > b : a >= b
}
