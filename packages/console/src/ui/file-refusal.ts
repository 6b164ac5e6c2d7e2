/** A file that must be changed or converted before the server can read it. Its message says how. */
export class FileRefusal extends Error {
  override name = 'FileRefusal'
}
