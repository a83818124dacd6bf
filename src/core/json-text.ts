/**
 * JSON values as text, without losing a digit. Room: core. Imported by field definitions and engines that keep documents.
 */
import { invalid } from './errors.ts'
import { memberOf, namesOf, WideObject } from './request/wide-object.ts'

/** As deep as bodies may be. */
const DEEPEST = 10_000

/** A piece of text that is ready. */
class Ready {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/**
 * Bigints are written as integers, wide objects as the objects they are; members that are undefined are left out, as JSON has none.
 * @throws KernelError 400 for more than 10,000 levels of nesting, a circle included.
 */
export function jsonText(value: object): string {
  try {
    return JSON.stringify(value)
  } catch {
    // Bigints, wide objects and deep nesting are beyond it.
    return writeSlowly(value)
  }
}

function writeSlowly(root: unknown): string {
  const out: string[] = []
  const todo: { readonly value: unknown; readonly depth: number }[] = [{ value: root, depth: 0 }]
  for (let next = todo.pop(); next; next = todo.pop()) {
    const { value, depth } = next
    if (depth > DEEPEST) throw invalid('data: is nested too deeply')
    if (value instanceof Ready) out.push(value.text)
    else if (typeof value === 'bigint') out.push(value.toString())
    else if (typeof value !== 'object' || value === null || isSpecial(value)) out.push(JSON.stringify(value) ?? 'null')
    else {
      const [open, close] = Array.isArray(value) ? '[]' : '{}'
      out.push(open as string)
      const parts = Array.isArray(value) ? items(value) : members(value)
      todo.push({ value: new Ready(close as string), depth })
      for (let i = parts.length - 1; i >= 0; i--) {
        const [name, part] = parts[i] as readonly [string, unknown]
        todo.push({ value: part, depth: depth + 1 }, { value: new Ready(i > 0 ? `,${name}` : name), depth })
      }
    }
  }
  return out.join('')
}

type Parts = readonly (readonly [string, unknown])[]

const items = (list: readonly unknown[]): Parts => list.map((item) => ['', item])

const members = (object: object): Parts =>
  [...namesOf(object)]
    .map((name) => [`${JSON.stringify(name)}:`, memberOf(object, name)] as const)
    .filter(([, value]) => value !== undefined && typeof value !== 'function' && typeof value !== 'symbol')

/** Says itself how it is written, such as a date. */
const isSpecial = (value: object): boolean =>
  !(value instanceof WideObject) && typeof (value as { toJSON?: unknown }).toJSON === 'function'
