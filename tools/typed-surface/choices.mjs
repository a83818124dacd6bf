// Rules about several members of a method's arguments, which no single member can state: a call that breaks one is always refused.
// `*` stands for every member but the name.

/** @typedef {{ readonly kind: 'AnyOf' | 'AtMostOne' | 'OneOf', readonly members: readonly string[] | '*' }} Choice */

/** A new record needs more than its name, and a change of one changes something. */
const MORE_THAN_A_NAME = { kind: 'AnyOf', members: '*' }
const PATHS = { kind: 'AnyOf', members: ['paths', 'path'] }

/** @type {Readonly<Record<string, readonly Choice[]>>} By view and method. For a batch operation they hold for each item. */
export const CHOICES = {
  'transit.verify': [{ kind: 'OneOf', members: ['signature', 'hmac'] }],
  'policies.writePolicy': [{ kind: 'AnyOf', members: ['policy', 'rules'] }],
  'policies.capabilities': [PATHS],
  'policies.capabilitiesSelf': [PATHS],
  'policies.capabilitiesAccessor': [PATHS],
  'database.writeStaticRole': [MORE_THAN_A_NAME, { kind: 'AtMostOne', members: ['rotation_period', 'rotation_schedule'] }],
  'cloud.writeStaticRole': [MORE_THAN_A_NAME],
}

/**
 * @param {string} name of the type
 * @param {string} members the interface of its members
 * @param {readonly Choice[]} choices
 */
export function choiceType(name, members, choices) {
  const rules = choices.map((choice) => {
    const names =
      choice.members === '*' ? `Exclude<keyof ${members}, 'name'>` : choice.members.map((one) => `'${one}'`).join(' | ')
    return `${choice.kind}<${members}, ${names}>`
  })
  return `export type ${name} = ${[members, ...rules].join(' & ')}\n`
}
