/**
 * The names inside a secret without its values (source: behaviour of the originals).
 */
import { Pace, type Steps } from '../../../core/base/steps.ts'
import { isObject, JsonObjectBuilder, sizeOf } from '../../../core/json/json-object-builder.ts'
import { entriesOf } from '../../../core/json/wide-object.ts'

const MEMBER_MICROSECONDS = 1

/**
 * The same objects with null for every other value, empty objects and lists included.
 * @param depth The number of levels of names; 0 is all of them.
 */
export function* subkeysOf(data: object, depth: number): Steps<object> {
  const pace = new Pace()
  const root = new JsonObjectBuilder(sizeOf(data))
  const todo = [{ source: data, copy: root, level: 1 }]
  for (let next = todo.pop(); next; next = todo.pop()) {
    const { source, copy, level } = next
    for (const [name, value] of entriesOf(source)) {
      if (pace.spend(MEMBER_MICROSECONDS)) yield
      if (isObject(value) && sizeOf(value) > 0 && level !== depth) {
        const inner = new JsonObjectBuilder(sizeOf(value))
        copy.set(name, inner.object)
        todo.push({ source: value, copy: inner, level: level + 1 })
      } else copy.set(name, null)
    }
  }
  return root.object
}
