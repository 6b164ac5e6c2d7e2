//! Where a result goes. A caller is always answered: an answer that is dropped unsent says that something went wrong.

use crate::failure::{Failure, Result};

pub struct Answer<T>(Option<Box<dyn FnOnce(Result<T>) + Send>>);

impl<T> Answer<T> {
    pub fn new(send: impl FnOnce(Result<T>) + Send + 'static) -> Answer<T> {
        Answer(Some(Box::new(send)))
    }

    pub fn send(mut self, result: Result<T>) {
        if let Some(send) = self.0.take() {
            send(result);
        }
    }
}

impl<T> Drop for Answer<T> {
    fn drop(&mut self) {
        if let Some(send) = self.0.take() {
            send(Err(Failure::fault("the engine gave up on a request without an answer")));
        }
    }
}
