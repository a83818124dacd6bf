// The objects that arguments and answers are made of, as interfaces: one for each name that a field's definition gives its objects.
import { memberLines } from './doc-comment.mjs'
import { block } from './render.mjs'

/** Where a field is: `path` into the exports of `module`, and from there by names of members. */
const deeper = (place, name) => ({ ...place, way: [...place.way, name] })

export class NamedRecords {
  /** Type to `{ file, text }`. */
  #made = new Map()
  #types

  /** @param {ReturnType<typeof import('./type-texts.mjs').typeTexts>} types */
  constructor(types) {
    this.#types = types
  }

  /** @returns {ReadonlyMap<string, { readonly file: string, readonly text: string }>} By the name of the type. */
  get all() {
    return this.#made
  }

  /**
   * The text of a field's type. What it refers to is added to `known`.
   * @param {any} field
   * @param {{ module: string, path: string, way: readonly string[], file: string }} place and the file that its objects are declared in
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
    if (way.length === 0) return isArgument ? this.#types.taken(module, path) : this.#types.given(module, path)
    return isArgument ? this.#types.takenWithin(module, path, way) : this.#types.givenWithin(module, path, way)
  }

  #add({ name, fields, many }, description, place, isArgument) {
    if (!name) throw new Error(`${[place.path, ...place.way].join('.')} has members, and its definition no name for such objects`)
    const type = isArgument ? `${name}Arguments` : name
    const known = new Map()
    const lines = Object.entries(fields).map(([member, field]) => {
      const at = deeper(place, member)
      const text = this.textOf(field, at, { isArgument, known })
      return memberLines(field, { name: member, text, isOptional: this.#plain(at, isArgument).isOptional, isArgument })
    })
    const about = many ? `One of a list: ${description.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())}` : description
    this.declare(type, { about, lines, known, file: place.file })
    return type
  }

  /** @throws Error where the name stands for other members. */
  declare(type, { about, lines, known, file }) {
    const body = lines.join('\n')
    const made = this.#made.get(type)
    if (made && made.body !== body) throw new Error(`${file}: two kinds of objects are named ${type}`)
    if (!made) this.#made.set(type, { file, text: block(type, about, lines), body, known })
  }
}
