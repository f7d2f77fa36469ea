import { splitPath } from '../ui/words.js'

/** A path with its folder in grey; where it does not fit, the folder is what is cut. */
export function PathName({ path }: { readonly path: string }) {
  const { folder, name } = splitPath(path)
  return (
    <span className="path" title={path}>
      {folder && <span className="dir">{folder}</span>}
      <span className="name">{visible(name)}</span>
    </span>
  )
}

/** Line ends and tabs in a name would break the row; they are drawn. */
function visible(name: string): string {
  return name.replaceAll('\n', '␊').replaceAll('\r', '↵').replaceAll('\t', '␉')
}
