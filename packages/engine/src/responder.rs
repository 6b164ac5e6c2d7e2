//! Sends the result of a request to its caller, exactly once. A responder that is dropped without a result sends a fault.

use crate::failure::{Failure, Result};

pub struct Responder<T>(Option<Box<dyn FnOnce(Result<T>) + Send>>);

impl<T> Responder<T> {
    pub fn new(send: impl FnOnce(Result<T>) + Send + 'static) -> Responder<T> {
        Responder(Some(Box::new(send)))
    }

    pub fn send(mut self, result: Result<T>) {
        if let Some(send) = self.0.take() {
            send(result);
        }
    }
}

impl<T> Drop for Responder<T> {
    fn drop(&mut self) {
        if let Some(send) = self.0.take() {
            send(Err(Failure::fault("the engine dropped a request without a result")));
        }
    }
}
