/** Templates in patterns: `secret/{{identity.entity.name}}/*`. */
import type { TemplateGroup, TemplateIdentity } from './acl.ts'

/** Characters that would add segments or wildcards to the pattern. */
const FORBIDDEN = /[*+/]/

/** Returned if a value is empty or contains `*`, `+` or `/`. */
export const UNUSABLE_VALUE = Symbol('unusable value')

/** Whether a pattern contains templates; undefined if its braces are unbalanced. */
export function isTemplated(pattern: string): boolean | undefined {
  const [head = '', ...pieces] = pattern.split('{{')
  if (head.includes('}}')) return undefined
  return pieces.every((piece) => piece.split('}}').length === 2) ? pieces.length > 0 : undefined
}

/**
 * Fills an identity's values into a pattern. Empty values are unusable, because `{{...}}*` would then match everything.
 * @param pattern A pattern for which {@link isTemplated} is true.
 * @returns undefined if the identity lacks a value, even if another value is unusable.
 */
export function fillPolicyTemplate(
  pattern: string,
  identity: TemplateIdentity | undefined,
): string | typeof UNUSABLE_VALUE | undefined {
  const [head = '', ...pieces] = pattern.split('{{')
  let filled = head
  let usable = true
  for (const piece of pieces) {
    const [name = '', rest = ''] = piece.split('}}')
    const value = identity && lookUp(name.trim(), identity)
    if (typeof value !== 'string') return undefined
    usable &&= value !== '' && !FORBIDDEN.test(value)
    filled += value + rest
  }
  return usable ? filled : UNUSABLE_VALUE
}

function lookUp(name: string, { entity, groups = [] }: TemplateIdentity): string | undefined {
  const [root, kind, rest] = split(name, 3)
  if (root !== 'identity' || kind === undefined || rest === undefined) return undefined
  if (kind === 'groups') return ofGroup(rest, groups)
  if (kind !== 'entity' || !entity) return undefined
  const [member, below] = split(rest, 2)
  if (member !== 'aliases') return ofThing(rest, entity)
  const [accessor = '', wanted = ''] = split(below ?? '', 2)
  const alias = Object.hasOwn(entity.aliases, accessor) ? entity.aliases[accessor] : undefined
  if (!alias) return undefined
  const [custom, key] = split(wanted, 2)
  return custom === 'custom_metadata' ? own(alias.custom_metadata, key) : ofThing(wanted, alias)
}

function ofGroup(path: string, groups: readonly TemplateGroup[]): string | undefined {
  const [by, which, wanted] = split(path, 3)
  if (wanted === undefined) return undefined
  // A group selected by its id can be asked for its name, and the other way round.
  if (by === 'ids' && wanted !== 'id')
    return ofThing(
      wanted,
      groups.find(({ id }) => id === which),
    )
  if (by === 'names' && wanted !== 'name')
    return ofThing(
      wanted,
      groups.find(({ name }) => name === which),
    )
  return undefined
}

/** `id`, `name` or `metadata.<key>`. */
function ofThing(wanted: string, thing: TemplateGroup | undefined): string | undefined {
  if (!thing) return undefined
  if (wanted === 'id') return thing.id
  if (wanted === 'name') return thing.name
  const [member, key] = split(wanted, 2)
  return member === 'metadata' ? own(thing.metadata, key) : undefined
}

const own = (map: Readonly<Record<string, string>>, key: string | undefined): string | undefined =>
  key !== undefined && Object.hasOwn(map, key) ? map[key] : undefined

/** The first parts of a dotted name. The last part contains the rest, including dots. */
function split(name: string, count: number): readonly (string | undefined)[] {
  const parts = name.split('.')
  return parts.length <= count ? parts : [...parts.slice(0, count - 1), parts.slice(count - 1).join('.')]
}
