/** Templates in patterns: `secret/{{identity.entity.name}}/*`. */
import type { TemplateGroup, TemplateIdentity } from './acl.ts'

/** Characters that would add segments or wildcards to the pattern. Values that contain them are unusable. */
const FORBIDDEN = /[*+/]/

/** Returned if a value is unusable: it is empty or contains `*`, `+` or `/`. */
const UNUSABLE_VALUE = Symbol('unusable value')

/** Whether the pattern contains templates. Undefined if its braces are unbalanced. */
export function isTemplated(pattern: string): boolean | undefined {
  const [head = '', ...pieces] = pattern.split('{{')
  if (head.includes('}}')) return undefined
  return pieces.every((piece) => piece.split('}}').length === 2) ? pieces.length > 0 : undefined
}

/**
 * Fills in the templates of a pattern with the values of an identity. Empty values are unusable, because a pattern such as `{{...}}*` would
 * then match every path.
 * @param pattern A pattern for which {@link isTemplated} is true.
 * @returns Undefined if the identity lacks a value. This takes precedence over unusable values.
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
  // If a template selects a group by id, it can insert the group's name but not its id; if it selects a group by name, it can insert the id
  // but not the name. Metadata can be inserted in both cases.
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

/** The value of `id`, `name` or `metadata.<key>`. */
function ofThing(wanted: string, thing: TemplateGroup | undefined): string | undefined {
  if (!thing) return undefined
  if (wanted === 'id') return thing.id
  if (wanted === 'name') return thing.name
  const [member, key] = split(wanted, 2)
  return member === 'metadata' ? own(thing.metadata, key) : undefined
}

const own = (map: Readonly<Record<string, string>>, key: string | undefined): string | undefined =>
  key !== undefined && Object.hasOwn(map, key) ? map[key] : undefined

/** Splits a dotted name into a given number of parts. The last part contains the remaining text, including its dots. */
function split(name: string, count: number): readonly (string | undefined)[] {
  const parts = name.split('.')
  return parts.length <= count ? parts : [...parts.slice(0, count - 1), parts.slice(count - 1).join('.')]
}
