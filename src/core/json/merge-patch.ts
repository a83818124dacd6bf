/**
 * JSON merge patch (RFC 7396): null removes a member, objects are merged, and any other value replaces the member. All PATCH operations use
 * it.
 */
import { Pace, runToEnd, type Steps } from '../base/steps.ts'
import { documentSteps } from './document.ts'
import { isObject, JsonObjectBuilder, memberCount } from './json-object-builder.ts'
import { jsonTextSteps } from './json-text.ts'
import { entriesOf, memberOf } from './wide-object.ts'

interface PendingMerge {
  readonly target: object | undefined
  readonly patch: object
  readonly merged: JsonObjectBuilder
}

/** The estimated time to copy a member and to look it up in the other object. */
const MEMBER_MICROSECONDS = 5

/** Applies a patch to a document. Both are JSON texts. */
export function* patchText(text: string, patch: string): Steps<string> {
  const before = yield* documentSteps(text)
  return yield* jsonTextSteps(yield* mergePatch(before, yield* documentSteps(patch)))
}

/**
 * Applies a merge patch to the value of one member. Returns undefined if the patch removes the member, and the old value if `patch` is
 * undefined. Works in one step, so use it only for short values.
 */
export function patchedMember<T>(before: T | undefined, patch: unknown): T | undefined {
  if (patch === undefined) return before
  const member = <V>(value: V) => (value === undefined ? {} : { value })
  return memberOf(runToEnd(mergePatch(member(before), member(patch))), 'value') as T | undefined
}

/**
 * Returns the patched object. Changes neither argument; the result shares unchanged parts with both arguments. The function is not
 * recursive, so deep nesting cannot overflow the stack.
 */
export function* mergePatch(target: object, patch: object): Steps<object> {
  const pace = new Pace()
  const todo: PendingMerge[] = []
  const open = (into: object | undefined, by: object): object => {
    const merged = new JsonObjectBuilder((into ? memberCount(into) : 0) + memberCount(by))
    todo.push({ target: into, patch: by, merged })
    return merged.object
  }
  const result = open(target, patch)
  for (let next = todo.pop(); next; next = todo.pop()) yield* mergeMembers(next, open, pace)
  return result
}

function* mergeMembers(
  { target, patch, merged }: PendingMerge,
  open: (into: object | undefined, by: object) => object,
  pace: Pace,
): Steps<void> {
  const put = (name: string, before: unknown, value: unknown): void => {
    if (value === null) return
    merged.set(name, isObject(value) ? open(isObject(before) ? before : undefined, value) : value)
  }
  for (const [name, before] of target ? entriesOf(target) : NONE) {
    if (pace.spend(MEMBER_MICROSECONDS)) yield
    const value = memberOf(patch, name)
    if (value === undefined) merged.set(name, before)
    else put(name, before, value)
  }
  for (const [name, value] of entriesOf(patch)) {
    if (pace.spend(MEMBER_MICROSECONDS)) yield
    if (!target || memberOf(target, name) === undefined) put(name, undefined, value)
  }
}

const NONE: readonly (readonly [string, unknown])[] = []
