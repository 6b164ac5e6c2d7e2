/** A form lacks something, so that it cannot be sent. Its message says what to do. */
export class FormRefusal extends Error {
  override name = 'FormRefusal'
}

/** A file that must be changed or converted before the server can read it. Its message says how. */
export class FileRefusal extends Error {
  override name = 'FileRefusal'
}
