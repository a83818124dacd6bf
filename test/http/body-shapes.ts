/** JSON texts that need far more memory when parsed than as bytes. Each shape has a beginning and a repeated unit. */
export const SHAPES: Readonly<Record<string, readonly [head: string, unit: string | ((i: number) => string)]>> = {
  'empty objects': ['{"a":[', '{},'],
  'empty arrays': ['{"a":[', '[],'],
  'deep nesting': ['{"a":', '['],
  'short texts': ['{"a":[', '"ab",'],
  'objects with distinct names': ['{"a":[', (i) => `{"${i.toString(36)}":0},`],
  'a wide object': ['{', (i) => `"${i.toString(36)}":0,`],
  'numeric names': ['{"a":[', '{"1":0},'],
  'numbers of many digits': ['{"a":[', `${'1'.repeat(300)},`],
  fractions: ['{"a":[', '1.5,'],
  'one text': ['{"a":"', 'QUJD'],
}

/** The first `length` bytes of a text of that shape. */
export function bodyOf(shape: string, length: number): Buffer {
  const [head, unit] = SHAPES[shape] as (typeof SHAPES)[string]
  if (typeof unit === 'string') return Buffer.concat([Buffer.from(head), Buffer.alloc(length - head.length, unit)])
  const units: string[] = [head]
  for (let i = 0, size = head.length; size < length; i++) size += units[units.push(unit(i)) - 1]?.length ?? 0
  return Buffer.from(units.join('')).subarray(0, length)
}
