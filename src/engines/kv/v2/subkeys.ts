import { Pace, type Steps } from '../../../core/base/steps.ts'
import { isObject, JsonObjectBuilder, memberCount } from '../../../core/json/json-object-builder.ts'
import { entriesOf } from '../../../core/json/wide-object.ts'

const MEMBER_MICROSECONDS = 1

/**
 * Returns a copy of the nested objects, with null in place of every value that is not an object. Empty objects also become null.
 * @param depth The number of nesting levels to return; 0 means all.
 */
export function* subkeysOf(data: object, depth: number): Steps<object> {
  const pace = new Pace()
  const root = new JsonObjectBuilder(memberCount(data))
  const todo = [{ source: data, copy: root, level: 1 }]
  for (let next = todo.pop(); next; next = todo.pop()) {
    const { source, copy, level } = next
    for (const [name, value] of entriesOf(source)) {
      if (pace.spend(MEMBER_MICROSECONDS)) yield
      if (isObject(value) && memberCount(value) > 0 && level !== depth) {
        const inner = new JsonObjectBuilder(memberCount(value))
        copy.set(name, inner.object)
        todo.push({ source: value, copy: inner, level: level + 1 })
      } else copy.set(name, null)
    }
  }
  return root.object
}
