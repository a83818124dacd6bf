/**
 * JSON merge patch, RFC 7396: null removes, objects merge, everything else replaces. Room: engines/kv/v2. Imported by the patch of secrets.
 */
import { memberOf, namesOf } from '../../../core/request/wide-object.ts'
import { isObject, Members, sizeOf } from './json-members.ts'

interface Pending {
  readonly target: object | undefined
  readonly patch: object
  readonly merged: Members
}

/** Neither is changed; the result shares what the patch does not touch. Nesting costs no stack. */
export function mergePatch(target: object, patch: object): object {
  const todo: Pending[] = []
  const open = (into: object | undefined, by: object): object => {
    const merged = new Members((into ? sizeOf(into) : 0) + sizeOf(by))
    todo.push({ target: into, patch: by, merged })
    return merged.object
  }
  const result = open(target, patch)
  for (let next = todo.pop(); next; next = todo.pop()) mergeMembers(next, open)
  return result
}

function mergeMembers({ target, patch, merged }: Pending, open: (into: object | undefined, by: object) => object): void {
  const put = (name: string, before: unknown, value: unknown): void => {
    if (value === null) return
    merged.set(name, isObject(value) ? open(isObject(before) ? before : undefined, value) : value)
  }
  for (const name of target ? namesOf(target) : NO_NAMES) {
    const before = memberOf(target as object, name)
    const value = memberOf(patch, name)
    if (value === undefined) merged.set(name, before)
    else put(name, before, value)
  }
  for (const name of namesOf(patch))
    if (!target || memberOf(target, name) === undefined) put(name, undefined, memberOf(patch, name))
}

const NO_NAMES: readonly string[] = []
