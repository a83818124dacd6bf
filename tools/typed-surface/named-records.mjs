// Generates an interface for each object type in arguments and results of the configuration service. The definition of a field gives the object type
// its name.
import { block, linesBeyond } from './declared-interface.mjs'
import { memberLines } from './doc-comment.mjs'

/** The place of a member of a field. `path` leads to the field in the exports of `module`, and `way` has the names of members from there. */
const deeper = (place, name) => ({ ...place, way: [...place.way, name] })

/** An interface with fewer members, such as a link to an object, is not extended: the members would be equal by chance. */
const MIN_MEMBERS = 3

export class NamedRecords {
  /** The generated interfaces by name. */
  #made = new Map()
  #types

  /** @param {ReturnType<typeof import('./type-texts.mjs').typeTexts>} types */
  constructor(types) {
    this.#types = types
  }

  /** @returns {ReadonlyMap<string, { readonly file: string, readonly text: string }>} By the name of the type. */
  get all() {
    return new Map([...this.#made].map(([name, made]) => [name, { ...made, text: this.#declaration(name, made) }]))
  }

  /** An interface with all members of another one in its file extends that one. */
  #declaration(name, { file, about, lines }) {
    const [base] = [...this.#made]
      .filter(([, other]) => other.file === file && other.lines.length >= MIN_MEMBERS && other.lines.length < lines.length)
      .filter(([, other]) => linesBeyond(lines, other.lines))
      .sort(([, a], [, b]) => b.lines.length - a.lines.length)
    return base ? block(`${name} extends ${base[0]}`, about, linesBeyond(lines, base[1].lines)) : block(name, about, lines)
  }

  /**
   * The text of a field's type. The types that this text uses are added to `known`.
   * @param {any} field
   * @param {{ module: string, path: string, way: readonly string[], file: string }} place of the field; `file` is the file that declares its objects
   * @param {{ isArgument: boolean, known: Map<string, string> }} use
   */
  textOf(field, place, { isArgument, known }) {
    const { members } = field
    if (members) {
      const name = this.#add(members, field.description, place, isArgument)
      known.set(name, this.#made.get(name).file)
      return members.many ? `readonly ${name}[]` : name
    }
    const { text, imports } = this.#plain(place, isArgument)
    for (const [type, file] of imports) known.set(type, file)
    return text
  }

  #plain({ module, path, way }, isArgument) {
    if (way.length === 0) return isArgument ? this.#types.argumentType(module, path) : this.#types.resultType(module, path)
    return isArgument ? this.#types.argumentMember(module, path, way) : this.#types.resultMember(module, path, way)
  }

  #add({ name, fields, many }, description, place, isArgument) {
    if (!name)
      throw new Error(`${[place.path, ...place.way].join('.')} has members, but its definition does not name the object type`)
    const type = isArgument ? `${name}Arguments` : name
    const known = new Map()
    const lines = Object.entries(fields).map(([member, field]) => {
      const at = deeper(place, member)
      const text = this.textOf(field, at, { isArgument, known })
      return memberLines(field, { name: member, text, isOptional: this.#plain(at, isArgument).isOptional, isArgument })
    })
    const about = many
      ? `An element of this list: ${description.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())}`
      : description
    this.declare(type, { about, lines, known, file: place.file })
    return type
  }

  /** @throws Error if the name is already used for an interface with other members */
  declare(type, { about, lines, known, file }) {
    const made = this.#made.get(type)
    if (made && made.lines.join('\n') !== lines.join('\n'))
      throw new Error(`${file}: two different object types are named ${type}`)
    if (!made) this.#made.set(type, { file, about, lines, known })
  }
}
